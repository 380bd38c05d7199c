// Copies and exports figures with all their digits, in their own unit. The heading of an exported column names its
// unit. In a table of instruments, each row has a unit of its own, which stands in a column.

import { announce } from "./notice.js";

/** Returns a field of CSV (RFC 4180). A text that a spreadsheet would take for a formula gets an apostrophe. */
function field(value) {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

const line = (values) => values.map(field).join(",");

export function csv(columns, rows) {
  const wanted = columns.filter((column) => column.csv);
  const lines = [line(wanted.map((column) => column.csvTitle ?? column.title))];
  for (const row of rows) if (!row.group) lines.push(line(wanted.map((column) => column.csv(row))));
  return `${lines.join("\r\n")}\r\n`;
}

export function download(name, text, type = "text/csv") {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([text], { type: `${type};charset=utf-8` }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}

/** Copies a text. If the browser gives no clipboard (plain HTTP from another host), it copies from a selection. */
export async function copy(text, words = text) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.className = "offscreen";
    document.body.append(area);
    const focused = document.activeElement;
    area.select();
    const isDone = document.execCommand("copy");
    area.remove();
    focused?.focus();
    if (!isDone) return announce("The browser does not allow copying here.");
  }
  announce(`Copied: ${words.length > 80 ? `${words.slice(0, 79)}\u2026` : words}`);
}

export function copyRow(columns, row) {
  const wanted = columns.filter((column) => column.csv);
  const cells = wanted.map((column) => String(column.csv(row) ?? "").replace(/[\t\r\n]/g, " "));
  return copy(cells.join("\t"), `row of ${cells.slice(0, 2).filter(Boolean).join(" ")}`);
}

// Builds elements and sets their texts. Text of bots always enters the page as text, never as markup.

const SVG = "http://www.w3.org/2000/svg";

/** Makes an element. `options`: class, text, attributes, on (listeners by event). */
export function element(tag, options = {}, ...children) {
  return fill(document.createElement(tag), options, children);
}

/** Makes an element of an SVG picture. */
export function shape(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), { attributes }, children);
}

function fill(node, options, children) {
  if (options.class) node.setAttribute("class", options.class);
  if (options.text !== undefined) node.textContent = options.text;
  for (const [name, value] of Object.entries(options.attributes ?? {})) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const [event, listener] of Object.entries(options.on ?? {})) node.addEventListener(event, listener);
  for (const child of children.flat()) if (child !== null && child !== undefined) node.append(child);
  return node;
}

/** Sets a text only if it changed, so that the same figure causes no new layout. */
export function setText(node, text) {
  if (node.shownText === text) return;
  node.shownText = text;
  node.textContent = text;
}

export function setClass(node, name) {
  if (node.shownClass === name) return;
  node.shownClass = name;
  node.setAttribute("class", name);
}

export function setAttribute(node, name, value) {
  if (value === null || value === undefined) {
    if (node.hasAttribute(name)) node.removeAttribute(name);
  } else if (node.getAttribute(name) !== String(value)) {
    node.setAttribute(name, value);
  }
}

// Control characters, and characters that have no width or change the direction of text. The page shows their code, so
// that one name cannot look like another.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]|\udb40[\udc00-\udfff]/g;

/** Returns a bot's text with the code of each hidden character in its place. */
export function visible(text) {
  const string = String(text);
  return string.replace(HIDDEN, (c) => c.split("").map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join(""));
}

const LONGEST_IN_A_ROW = 160;

/** Returns the visible text, cut for a place of one line. The whole text belongs in the title of that place. */
export function short(text, length = LONGEST_IN_A_ROW) {
  const whole = visible(text);
  return whole.length > length ? `${[...whole.slice(0, length)].slice(0, -1).join("")}\u2026` : whole;
}

/** Returns a bot's text in an element that isolates it. Text from right to left then turns nothing around it. */
export function name(text, options = {}) {
  return element("bdi", { class: options.class ?? "name", text: short(text, options.length), attributes: { title: visible(text) } });
}

export function setName(node, text) {
  if (node.shownText === text) return;
  node.shownText = text;
  node.textContent = short(text);
  node.setAttribute("title", visible(text));
}

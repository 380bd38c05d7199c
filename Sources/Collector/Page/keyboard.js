// Keys that work everywhere. The help in `index.html` lists them.

const VIEWS = { f: [], i: ["instruments"], o: ["objectives"], a: ["alerts"], k: ["collector"] };

const isTyping = (target) => target.closest("input, select, textarea, [contenteditable]") !== null;

export function listenToKeys({ search, help, pause, theme, go, chooseWindow, back }) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (event.key === "Escape" && event.target === search) {
      search.value = "";
      search.dispatchEvent(new Event("input"));
      search.blur();
      return;
    }
    if (event.key === "ArrowDown" && event.target === search) {
      event.preventDefault();
      document.querySelector(".table")?.focus();
      return;
    }
    if (help.open || isTyping(event.target)) return;
    if (event.key === "/") search.focus();
    else if (event.key === "?") help.showModal();
    else if (event.key === "p") pause();
    else if (event.key === "t") theme();
    else if (/^[1-9]$/.test(event.key)) chooseWindow(Number(event.key) - 1);
    else if (event.key in VIEWS) go(VIEWS[event.key]);
    else if ((event.key === "ArrowDown" || event.key === "ArrowUp") && event.target === document.body) document.querySelector(".table")?.focus();
    else if (event.key === "Backspace") back();
    else return;
    event.preventDefault();
  });
}

// Shows one short sentence at the edge of the page, also for screen readers. The next one replaces it.

let timer;

export function announce(words) {
  const node = document.getElementById("notice");
  node.textContent = words;
  node.hidden = false;
  clearTimeout(timer);
  timer = setTimeout(() => {
    node.hidden = true;
    node.textContent = "";
  }, 4000);
}

// The light or dark theme, chosen by the system or by the user.

const KEY = "ringside.theme";
const ORDER = ["system", "light", "dark"];

function stored() {
  try {
    const theme = localStorage.getItem(KEY);
    return ORDER.includes(theme) ? theme : "system";
  } catch {
    return "system";
  }
}

export class Theme {
  constructor(button) {
    this.button = button;
    this.apply(stored());
    button.addEventListener("click", () => this.next());
  }

  next() {
    const theme = ORDER[(ORDER.indexOf(this.theme) + 1) % ORDER.length];
    try {
      localStorage.setItem(KEY, theme);
    } catch {
      // The choice then applies to this page alone.
    }
    this.apply(theme);
  }

  apply(theme) {
    this.theme = theme;
    if (theme === "system") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = theme;
    this.button.textContent = { system: "Theme: auto", light: "Theme: light", dark: "Theme: dark" }[theme];
  }
}

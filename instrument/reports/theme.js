// Makes a button that switches between light and dark. The choice is kept; without one, the reader's system decides.
function theme(button) {
  const root = document.documentElement, system = matchMedia("(prefers-color-scheme: dark)");
  try { root.style.colorScheme = localStorage.getItem("theme") ?? ""; } catch { /* no storage for this page */ }
  button.addEventListener("click", () => {
    root.style.colorScheme = (root.style.colorScheme || (system.matches ? "dark" : "light")) === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", root.style.colorScheme); } catch { /* likewise */ }
    dispatchEvent(new Event("resize")); // canvases are drawn anew
  });
}

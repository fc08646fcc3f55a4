// Light or dark: as the system has it, or as chosen here and remembered.
import { useEffect, useState } from "preact/hooks";

export type Theme = "auto" | "light" | "dark";
const system = window.matchMedia("(prefers-color-scheme: dark)");

function remembered(): Theme {
  try {
    const value = localStorage.getItem("fovea-theme");
    return value === "light" || value === "dark" ? value : "auto";
  } catch {
    return "auto"; // a file may have no storage
  }
}

let theme = remembered();
const listeners = new Set<() => void>();
const isDark = () => (theme === "auto" ? system.matches : theme === "dark");

function apply() {
  document.documentElement.dataset.theme = isDark() ? "dark" : "light";
  for (const listener of [...listeners]) listener();
}
system.addEventListener("change", apply);
apply();

export function setTheme(next: Theme) {
  theme = next;
  try {
    localStorage.setItem("fovea-theme", next);
  } catch {
    // Then it lasts as long as the page does.
  }
  apply();
}

export function useTheme(): { theme: Theme; dark: boolean } {
  const [state, setState] = useState({ theme, dark: isDark() });
  useEffect(() => {
    const update = () => setState({ theme, dark: isDark() });
    update();
    listeners.add(update);
    return () => void listeners.delete(update);
  }, []);
  return state;
}

// What is shown, kept in the address after the #, so that it can be shared: #/heads?m=en-fr&t=a+sentence&layer=1
import { useEffect, useState } from "preact/hooks";

export interface Route {
  view: string;
  params: Record<string, string>;
}

export function parseRoute(hash: string): Route {
  const [path = "", query = ""] = hash.replace(/^#?\/?/, "").split("?", 2);
  return { view: path, params: Object.fromEntries(new URLSearchParams(query)) };
}

export function formatRoute({ view, params }: Route): string {
  const kept = Object.entries(params).filter(([, value]) => value !== "");
  const query = new URLSearchParams(kept).toString();
  return `#/${view}${query ? `?${query}` : ""}`;
}

let current = parseRoute(location.hash);
const listeners = new Set<(route: Route) => void>();

function show(route: Route) {
  current = route;
  for (const listener of [...listeners]) listener(route);
}

window.addEventListener("hashchange", () => show(parseRoute(location.hash)));

// Changes some of what is shown; "" is no part of the address, undefined as if it had never been set. The browser's
// Back goes from view to view.
export function setParams(changes: Record<string, string | undefined>) {
  const all = Object.entries({ ...current.params, ...changes });
  const params = Object.fromEntries(all.filter((one): one is [string, string] => one[1] !== undefined));
  const next = { view: current.view, params };
  if (JSON.stringify(next) === JSON.stringify(current)) return;
  try {
    history.replaceState(history.state, "", formatRoute(next));
  } catch {
    // Too often for this browser: the address follows with a later change.
  }
  show(next);
}

// What belongs to one view alone does not follow into the next.
const kShared = ["m", "m2", "t", "u", "p", "ask"];
export function viewAddress(view: string, changes: Record<string, string> = {}): string {
  const kept = Object.entries(current.params).filter(([name]) => kShared.includes(name));
  return formatRoute({ view, params: { ...Object.fromEntries(kept), ...changes } });
}

// As of now: a key may come before what the last one changed was drawn.
export const currentRoute = (): Route => current;

export function useRoute(): Route {
  const [route, setRoute] = useState(current);
  useEffect(() => {
    setRoute(current);
    listeners.add(setRoute);
    return () => void listeners.delete(setRoute);
  }, []);
  return route;
}

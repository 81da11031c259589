// The state of a view: its traits, each in its range, drawn once a frame; and what a link may set.

/** A number, or the nearest one from low to high. */
export const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

/**
 * A check for mount: null, or a number from low to high; a function gives the end as it is now.
 * What a link may bring is less: whole numbers, unless it is real, and null only where it is open.
 */
export function within(low, high, { real = false, open = false } = {}) {
  const end = typeof high === "function" ? high : () => high;
  const check = (value) => (value === null ? null : clamp(value, low, end()));
  return Object.assign(check, { real, open });
}

/** A check for mount: one of a few values, or else the first. */
export const oneOf = (options) => (value) => (options.includes(value) ? value : options[0]);

/**
 * Tie a view to its model: { get, set, all, redraw, start }.
 *
 * When one of the traits changes, draw() is called in the next frame, once; heed(name) at once.
 * checks maps a trait to a function from a value to the nearest one that can be shown now. get() and
 * set() both pass it, so that presses faster than a frame never leave a range. set() goes in the
 * order of traits, then checks the others, which may have a smaller range now. links has checks for
 * what a link to the page may bring, where that is less, or where a trait has no check.
 *
 * start(...parts) draws for the first time, and returns what stops the view and its parts. A page's
 * host is told before, by model.share, what a link to the page may change: see links.js.
 */
export function mount({ model, traits, draw, checks = {}, links = {}, heed }) {
  const get = (name) => (checks[name] ?? ((value) => value))(model.get(name));
  const all = () => Object.fromEntries(traits.map((name) => [name, get(name)]));

  function set(changes) {
    for (const name of traits) if (name in changes) model.set(name, changes[name]);
    for (const name of Object.keys(checks)) {
      const value = get(name);
      if (value !== model.get(name)) model.set(name, value);
    }
    model.save_changes();
  }

  let frame = 0;
  const redraw = () => {
    frame ||= requestAnimationFrame(() => {
      frame = 0;
      draw();
    });
  };
  const heard = traits.map((name) => [
    `change:${name}`,
    () => {
      heed?.(name);
      redraw();
    },
  ]);

  /** Whether a link may bring a value for a trait: it is of its kind, and its check leaves it alone. */
  function fits(name, value, like) {
    const check = links[name] ?? checks[name] ?? (typeof like === "boolean" && Boolean);
    if (!traits.includes(name) || !check || value === undefined) return false;
    if (value === null) return like === null || check.open === true;
    if (typeof value === "boolean" && typeof like !== "boolean") return false; // as a check's "no" is
    if (typeof value === "number" && !check.real && !Number.isInteger(value)) return false;
    try {
      return JSON.stringify(check(value)) === JSON.stringify(value);
    } catch {
      return false; // a check may count on the kind
    }
  }

  function start(...parts) {
    for (const [event, listener] of heard) model.on(event, listener);
    model.share?.(traits, fits);
    draw();
    return () => {
      for (const [event, listener] of heard) model.off(event, listener);
      cancelAnimationFrame(frame);
      for (const part of parts) part.stop();
    };
  }
  return { get, set, all, redraw, start };
}

// The first script of every page while the engines are tested: it writes down what goes wrong, in
// words, for Python to fetch. Each engine has a protocol of its own for this, and WebKit's has none.
(() => {
  const problems = (window.pfProblems = []);

  // A ResizeObserver whose callback changes sizes measures again in the next frame, and says so by an
  // error that means nothing else. From the disk, WebKit hides the words of every error.
  let measuring = false;
  window.ResizeObserver = class extends ResizeObserver {
    constructor(act) {
      super((...given) => {
        measuring = true;
        setTimeout(() => (measuring = false));
        try {
          act(...given);
        } catch (error) {
          problems.push(`uncaught: ${error}`);
        }
      });
    }
  };
  const putOff = (message) =>
    measuring && /^(ResizeObserver loop|Script error)/.test(message);

  addEventListener("error", ({ target, message, filename, lineno }) => {
    if (message && putOff(message)) return;
    const missing = target.currentSrc || target.src || target.href?.baseVal || target.href;
    problems.push(message ? `uncaught: ${message} (${filename}:${lineno})` : `does not load: ${missing}`);
  }, true); // what does not load tells its ancestors nothing unless they listen so
  addEventListener("unhandledrejection", ({ reason }) => problems.push(`uncaught: ${reason}`));
  document.addEventListener("securitypolicyviolation", ({ blockedURI, effectiveDirective }) =>
    problems.push(`request off the site: ${blockedURI} (${effectiveDirective})`));
  for (const kind of ["error", "warn"]) {
    const print = console[kind];
    console[kind] = (...words) => {
      problems.push(`console ${kind}: ${words.join(" ")}`);
      print.apply(console, words);
    };
  }
})();

// Search works on a server by a web worker. Browsers refuse workers to pages that are opened from
// disk, so there the same script runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      (document.body || document.documentElement).append(frame);
      this.inner = frame.contentWindow;
      this.ready = new Promise((resolve) => {
        const script = frame.contentDocument.createElement("script");
        this.inner.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
        this.inner.importScripts = () => Promise.resolve();
        script.src = url;
        script.onload = resolve;
        frame.contentDocument.documentElement.append(script);
      });
    }
    postMessage(data) {
      this.ready.then(() => this.inner.dispatchEvent(new MessageEvent("message", { data })));
    }
    terminate() {}
  };
}

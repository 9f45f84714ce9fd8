interface Cookie {
  readonly origin: string;
  readonly path: string;
  readonly value: string;
}

/**
 * What a browser does with redirects and cookies, by origin and path. `hosts` says where an origin is really served; anything
 * below `home` that is no operation is a page, where it stops.
 */
export class TestBrowser {
  readonly #cookies = new Map<string, Cookie>();
  readonly #hosts: Readonly<Record<string, string>>;

  constructor(hosts: Readonly<Record<string, string>>) {
    this.#hosts = hosts;
  }

  /** One request; redirects are not followed. */
  async visit(url: URL): Promise<{ status: number; next: URL | undefined }> {
    const base = this.#hosts[url.origin] ?? url.origin;
    const response = await fetch(base + url.pathname + url.search, {
      redirect: "manual",
      headers: { cookie: this.cookiesFor(url), connection: "close" },
    });
    for (const line of response.headers.getSetCookie()) this.#keep(url, line);
    await response.body?.cancel();
    const location = response.headers.get("location");
    return { status: response.status, next: location === null ? undefined : new URL(location, url) };
  }

  /** Follows redirects until `isThere` says so of the address that comes next. */
  async go(start: URL, isThere: (url: URL) => boolean): Promise<URL> {
    let url = start;
    for (let step = 0; step < 20; step++) {
      if (isThere(url)) return url;
      const { status, next } = await this.visit(url);
      if (next === undefined) throw new Error(`${url.href} answered ${status} and led nowhere.`);
      url = next;
    }
    throw new Error(`The redirects do not end: ${url.href}`);
  }

  cookiesFor(url: URL): string {
    return [...this.#cookies]
      .filter(([, { origin, path }]) => origin === url.origin && url.pathname.startsWith(path))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ");
  }

  #keep(url: URL, line: string): void {
    const [pair = "", ...attributes] = line.split(/; ?/);
    const [name = "", ...value] = pair.split("=");
    const path = attributes.find((one) => /^path=/i.test(one))?.slice(5) ?? "/";
    this.#cookies.set(name, { origin: url.origin, path, value: value.join("=") });
  }
}

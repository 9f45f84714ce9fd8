/** How this service talks to other machines. */
export interface OutboundSettings {
  /**
   * Private targets that the operator opens: `host`, `host:port`, `*.suffix`, an address, a CIDR range, each with or
   * without `:port`; IPv6 in brackets when a port follows. An entry with a port also opens that port when it is one that
   * is refused otherwise. Cloud metadata addresses open only by an entry that is exactly that address.
   */
  readonly allowedHosts: readonly string[];
  /** DNS servers, `address` or `address:port`; empty: those of the machine. */
  readonly dnsServers: readonly string[];
  /** Longest wait for the addresses of a name. */
  readonly resolveTimeoutMs: number;
  /** Longest wait for a connection, its TLS handshake included. */
  readonly connectTimeoutMs: number;
  /** Longest wait for the headers of an answer. */
  readonly headersTimeoutMs: number;
  /** Longest silence inside a body. */
  readonly bodyIdleTimeoutMs: number;
  /** Slowest body accepted, measured over `minRateWindowMs` of waiting; 0 turns the check off. */
  readonly minRateBytesPerSecond: number;
  readonly minRateWindowMs: number;
  /** Most bytes of headers in one answer. */
  readonly maxHeaderBytes: number;
  /** Connections to one origin at a time; further requests wait inside their own deadline. */
  readonly maxConnectionsPerOrigin: number;
  /** Certificate authorities in PEM that count beside those of the system. */
  readonly extraCaPem?: string;
}

export const defaultOutboundSettings: OutboundSettings = {
  allowedHosts: [],
  dnsServers: [],
  resolveTimeoutMs: 5_000,
  connectTimeoutMs: 10_000,
  headersTimeoutMs: 30_000,
  bodyIdleTimeoutMs: 20_000,
  minRateBytesPerSecond: 1_024,
  minRateWindowMs: 20_000,
  maxHeaderBytes: 65_536,
  maxConnectionsPerOrigin: 32,
};

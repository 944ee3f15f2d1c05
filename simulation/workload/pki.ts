/** The X.509 functions of simulated clusters, injected. Synchronous, because a virtual clock drives them. */

export interface Pem {
  certificate: string;
  key: string;
}

export interface GuestPki {
  /** A new self-signed CA; `now` in milliseconds. */
  authority(request: { commonName: string; days: number; now: number }): Pem;
  /** A new key and a certificate for it. `sans` are DNS names and IP addresses. Throws when the CA cannot be read. */
  issue(request: {
    commonName: string;
    organizations?: string[];
    sans?: string[];
    usages: ('client' | 'server')[];
    ca: Pem;
    days: number;
    now: number;
  }): Pem;
}

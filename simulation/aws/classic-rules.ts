/** What Elastic Load Balancing refuses of the listeners and health checks of classic load balancers. */
import type { ClassicHealthCheck, ClassicListener } from '../../kinds/ports/cloud/index.ts';
import { refuse, validationError } from './errors.ts';

const between = (what: string, value: number, least: number, most: number): void => {
  if (!Number.isInteger(value) || value < least || value > most)
    validationError(`${what} must be an integer between ${least} and ${most}`);
};

/** The protocol, port and path that a health check asks. */
export const askedOf = (target: string): { protocol: string; port: number; path?: string } => {
  const [, protocol = '', port = '', path] = /^([A-Z]+):(\d{1,5})(\/.*)?$/s.exec(target) ?? [];
  if (!['HTTP', 'TCP', 'HTTPS', 'SSL'].includes(protocol))
    validationError('HealthCheck Target must begin with one of HTTP, TCP, HTTPS, SSL');
  between('HealthCheck Target port', Number(port), 1, 65_535);
  const speaksHttp = protocol.startsWith('HTTP');
  if (speaksHttp !== (path !== undefined))
    validationError(
      speaksHttp
        ? `HealthCheck ${protocol} Target must specify a port followed by a path that begins with a "/"`
        : `HealthCheck ${protocol} Target must specify a port and no path`,
    );
  return { protocol, port: Number(port), ...(path !== undefined && { path }) };
};

export const checkHealthCheck = (check: ClassicHealthCheck): void => {
  askedOf(check.Target);
  between('HealthCheck Interval', check.Interval, 5, 300);
  between('HealthCheck Timeout', check.Timeout, 2, 60);
  between('HealthCheck HealthyThreshold', check.HealthyThreshold, 2, 10);
  between('HealthCheck UnhealthyThreshold', check.UnhealthyThreshold, 2, 10);
  if (check.Timeout >= check.Interval) validationError('HealthCheck timeout must be less than interval');
};

const layers: Record<string, number> = { TCP: 4, SSL: 4, HTTP: 7, HTTPS: 7 };

/** `most`: how many a load balancer may have. */
export const checkListeners = (all: readonly ClassicListener[], most: number): void => {
  if (all.length === 0) validationError('Listeners cannot be empty');
  for (const { Protocol, LoadBalancerPort, InstanceProtocol, InstancePort } of all) {
    if (layers[Protocol] === undefined) refuse('UnsupportedProtocol', `The protocol ${Protocol} is not supported`);
    if (layers[Protocol] !== layers[InstanceProtocol])
      validationError('Listener protocol and instance protocol must be of the same layer');
    // No listener of the port names a certificate.
    if (Protocol === 'HTTPS' || Protocol === 'SSL')
      refuse('CertificateNotFound', `The listener of port ${LoadBalancerPort} has no server certificate`);
    between('LoadBalancerPort', LoadBalancerPort, 1, 65_535);
    between('InstancePort', InstancePort, 1, 65_535);
  }
  if (all.length > most) refuse('TooManyListeners', 'The maximum number of listeners has been reached');
};

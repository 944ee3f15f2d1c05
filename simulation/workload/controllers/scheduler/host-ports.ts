/** Ports that pods occupy on their hosts, as the scheduler's filter plugin NodePorts compares them. */
import type { Container, PodObject } from '../../objects.ts';

interface HostPort {
  hostPort?: number;
  hostIP?: string;
  protocol?: string;
}

const portsOf = ({ spec }: PodObject): Required<HostPort>[] =>
  [
    ...(spec?.containers ?? []),
    ...(spec?.initContainers ?? []).filter(({ restartPolicy }: Container) => restartPolicy === 'Always'),
  ].flatMap(({ ports = [] }) =>
    (ports as HostPort[]).flatMap(({ hostPort = 0, hostIP = '0.0.0.0', protocol = 'TCP' }) =>
      hostPort > 0 ? [{ hostPort, hostIP: hostIP || '0.0.0.0', protocol }] : [],
    ),
  );

const collide = (a: Required<HostPort>, b: Required<HostPort>): boolean =>
  a.hostPort === b.hostPort &&
  a.protocol === b.protocol &&
  (a.hostIP === b.hostIP || a.hostIP === '0.0.0.0' || b.hostIP === '0.0.0.0');

/** The nodes on which a port of the pod is taken. */
export const portFilter = (pod: PodObject, placed: readonly PodObject[]): Set<string> => {
  const wanted = portsOf(pod);
  if (wanted.length === 0) return new Set();
  return new Set(
    placed
      .filter((other) => portsOf(other).some((port) => wanted.some((own) => collide(own, port))))
      .map(({ spec }) => spec?.nodeName ?? ''),
  );
};

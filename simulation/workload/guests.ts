import type { Clock } from '../../machinery/ports.ts';
import type { Guests, HostedListener } from '../ports.ts';
import type { Clusters } from './clusters.ts';
import type { Forwarder } from './forwarding.ts';
import type { Ailment, GuestRecord } from './records.ts';

export interface SimulatedGuests extends Guests {
  clusters: Clusters;
  guests(): GuestRecord[];
  /** Makes a machine ill, or healthy again. */
  ail(instanceId: string, ailment: Ailment | undefined): void;
  /** Makes a static Pod unready, or all ready again. */
  spoil(instanceId: string, component: string | undefined): void;
  /** The listener served at a host and port. */
  listener(host: string, port: number): HostedListener | undefined;
  clock: Clock;
  forwarder: Forwarder;
  /** Stops everything. The state stays. */
  stop(): void;
}

import type { Clock } from '../../machinery/ports.ts';
import type { Guests, HostedListener } from '../ports.ts';
import type { Clusters } from './clusters.ts';
import type { Forwarder } from './forwarding.ts';
import type { Ailment, GuestRecord } from './records.ts';

export interface SimulatedGuests extends Guests {
  /** What the machine printed since it booted. */
  console(instanceId: string): string;
  clusters: Clusters;
  guests(): GuestRecord[];
  /** From now on the machine is only half alive, or well again. */
  ail(instanceId: string, ailment: Ailment | undefined): void;
  /** From now on that static pod of the machine is not ready, or all are ready again. */
  spoil(instanceId: string, component: string | undefined): void;
  /** The listener served at a host and port. */
  listener(host: string, port: number): HostedListener | undefined;
  clock: Clock;
  forwarder: Forwarder;
  /** Nothing goes on after this. State stays. */
  stop(): void;
}

/** What the contract suite needs of an implementation of the Cloud port. */
import type { Cloud } from '../../kinds/ports/cloud/index.ts';

export interface CloudUnderTest {
  cloud: Cloud;
  /** A region in which the suite may create and delete resources. */
  region: string;
  /** Advances time until `done` returns true, or gives up after some minutes of the cloud's time. */
  settle(done: () => Promise<boolean>): Promise<void>;
  /** Sets the state of an alarm, as its metric would. */
  alarm(name: string, state: 'OK' | 'ALARM'): Promise<void>;
  /** Closes what was opened. */
  close(): Promise<void>;
}

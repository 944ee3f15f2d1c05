/** What the contract suite needs of an implementation of the Cloud port. */
import type { Cloud } from '../../kinds/ports/cloud.ts';

export interface CloudUnderTest {
  cloud: Cloud;
  /** A region in which the suite may make and delete things. */
  region: string;
  /** Lets time pass until `done` answers true, or gives up after some minutes of the cloud's time. */
  settle(done: () => Promise<boolean>): Promise<void>;
  /** Ends what was opened. */
  close(): Promise<void>;
}

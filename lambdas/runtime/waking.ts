/** Handles events about instances, Auto Scaling groups and alarms. */
import type { Log } from '../../machinery/ports.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { alarmWaker, groupWaker, type InstanceChange, instanceWaker, statusWaker } from '../../runtime/wake.ts';

export interface Waking {
  log: Log;
  /**
   * Requeues the AWSMachine that names the instance, or records a notice on it; instances of other
   * owners are ignored.
   */
  wake(change: InstanceChange): Promise<void>;
  /** Requeues the read of status checks and scheduled events of the instances' clusters. */
  readStatus(instanceIds: readonly string[]): Promise<void>;
  /** Requeues the read of the alarm for the clusters whose pools name it. */
  readAlarm(alarmName: string): Promise<void>;
  /** Requeues the pool whose Auto Scaling group it is. */
  followGroup(groupName: string): Promise<void>;
}

export const createWaking = (foundation: Foundation): Waking => ({
  log: foundation.log,
  wake: instanceWaker(foundation),
  readStatus: statusWaker(foundation),
  readAlarm: alarmWaker(foundation),
  followGroup: groupWaker(foundation),
});

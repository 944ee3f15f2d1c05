/** Nobody waits for the pods and volumes of a machine that goes for longer than its users have said. */
import type { Machine } from '../../../kinds/core/machine/index.ts';
import type { Invariant, Setting } from './invariant.ts';
import { type Claim, soon } from './soon.ts';
import { conditionIn, isGoing, isWorkedOn } from './whose.ts';

const waits = [
  { reason: 'DrainingNode', since: 'nodeDrainStartTime', most: 'nodeDrainTimeoutSeconds' },
  {
    reason: 'WaitingForVolumeDetach',
    since: 'waitForNodeVolumeDetachStartTime',
    most: 'nodeVolumeDetachTimeoutSeconds',
  },
] as const;

export const limited = (setting: Setting): Invariant => {
  const { clock, mirror } = setting.world;
  return soon('limited', setting, function* (): Generator<Claim> {
    for (const machine of mirror.all<Machine>('Machine')) {
      if (!isGoing(machine) || !isWorkedOn(mirror, machine)) continue;
      const { metadata, spec, status } = machine;
      for (const { reason, since, most } of waits) {
        const began = Date.parse(status?.deletion?.[since] ?? '');
        const seconds = spec?.deletion?.[most] ?? 0;
        if (seconds === 0 || !(clock.now() > began + seconds * 1000)) continue;
        const isWaiting = conditionIn(machine, 'Deleting')?.reason === reason;
        yield { what: `whether ${metadata.name}, whose ${most} are over, waits on`, is: isWaiting, should: false };
      }
    }
  });
};

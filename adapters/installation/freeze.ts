/** Whether objects and account belong together, by how far each knows that the other has come. */
import { createHash } from 'node:crypto';
import type { Freeze, FreezeReason } from '../../kinds/ports/installation.ts';

export interface Standing {
  installation: string;
  /** The position kept with the objects; undefined when they were never acted on. */
  stored: number | undefined;
  /** The position kept in the account; undefined when this installation never acted on it. */
  marked: number | undefined;
}

const messages: Record<FreezeReason, string> = {
  ObjectsLost:
    'This installation has acted on the account, and none of the objects here knows of that: they were lost, or restored from before. Nothing is done until a person has looked.',
  ObjectsOlder:
    'The account was acted on after these objects were stored: they come from a backup or a copy. Nothing is done until a person has looked.',
  AccountDiffers:
    'These objects were acted on in an account that this one is not, or was not yet: another account, or an older copy of it. Nothing is done until a person has looked.',
};

const reasonOf = ({ stored, marked }: Standing): FreezeReason | undefined => {
  const [here, there] = [stored ?? 0, marked ?? 0];
  if (there > here) return stored === undefined ? 'ObjectsLost' : 'ObjectsOlder';
  // The objects' position is written first: a crash in between leaves it one ahead, and never more.
  return here > there + 1 ? 'AccountDiffers' : undefined;
};

/** Pure. The id follows from both positions, which no mutating call can change while frozen, and which a thaw leaves behind. */
export const freezeOf = (standing: Standing): Freeze | undefined => {
  const reason = reasonOf(standing);
  if (!reason) return undefined;
  const { installation, stored, marked } = standing;
  const text = [installation, stored ?? 'none', marked ?? 'none'].join(' ');
  return {
    id: createHash('sha256').update(text).digest('hex').slice(0, 8),
    reason,
    message: messages[reason],
  };
};

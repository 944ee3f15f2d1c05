/** Compares the position of the objects with the mark of the account. */
import { createHash } from 'node:crypto';
import type { Freeze, FreezeReason } from '../../kinds/ports/installation.ts';

export interface Standing {
  installation: string;
  /** The position of the objects; undefined if Capstan never acted on them. */
  stored: number | undefined;
  /** The mark in the account; undefined if this installation never acted on it. */
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
  // The objects' position is written first, so a crash in between leaves it at most one ahead.
  return here > there + 1 ? 'AccountDiffers' : undefined;
};

/**
 * A pure function. The id derives from both positions, which no mutating call changes while frozen, and which
 * a thaw changes.
 */
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

import { cameLate } from '../kinds/installation/late.ts';
import { installationName } from '../kinds/installation/name.ts';
import { isNotFound } from '../machinery/api/lifecycle.ts';
import type { Kinds, ObjectWriter } from '../machinery/controller/index.ts';
import type { Clock } from '../machinery/ports.ts';

/**
 * Notes on the Installation that a pass came late, which has the account looked through: what such a pass made for an object
 * that was gone is nobody's, and nobody would look when it was the last.
 */
export const noteLate =
  ({ kinds, writer, clock }: { kinds: Kinds; writer: ObjectWriter; clock: Clock }) =>
  async (): Promise<void> => {
    const key = { namespace: '', name: installationName };
    const note = { writer: 'work', retry: true };
    try {
      await writer.update(kinds.named('Installation'), key, (current) => cameLate(current, clock.now()), note);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

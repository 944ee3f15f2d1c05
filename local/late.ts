import { cameLate } from '../kinds/capstan/installation/late.ts';
import { installationName } from '../kinds/common/installation.ts';
import { isNotFound } from '../machinery/api/lifecycle.ts';
import type { Kinds, ObjectWriter, Work, WorkKey } from '../machinery/controller/index.ts';
import type { Clock } from '../machinery/ports.ts';

/**
 * What follows from a pass that came late. Its object is looked at again, for what it wrote last may be of what was long ago.
 * And it is noted on the Installation, which has the account looked through: what such a pass made for an object that was
 * gone is nobody's, and nobody would look when it was the last.
 */
export const afterLate =
  ({ kinds, writer, clock }: { kinds: Kinds; writer: ObjectWriter; clock: Clock }) =>
  async (late: WorkKey, request: Work['request']): Promise<void> => {
    await request(late, { urgent: false });
    const key = { namespace: '', name: installationName };
    const note = { writer: 'work', retry: true };
    try {
      await writer.update(kinds.named('Installation'), key, (current) => cameLate(current, clock.now()), note);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

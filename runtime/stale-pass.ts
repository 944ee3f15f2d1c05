import { recordStalePass } from '../kinds/capstan/installation/stale-pass.ts';
import { installationName } from '../kinds/common/installation.ts';
import { isNotFound } from '../machinery/api/lifecycle.ts';
import type { Kinds, ObjectWriter, Work, WorkKey } from '../machinery/controller/index.ts';
import type { Clock } from '../machinery/ports.ts';

/**
 * After a pass that lost its lease: requeues its object, whose last write may rest on stale reads, and reports it on
 * the Installation, which rescans the account. The pass may have created resources for an object that is already gone.
 */
export const afterStalePass =
  ({ kinds, writer, clock }: { kinds: Kinds; writer: ObjectWriter; clock: Clock }) =>
  async (staleKey: WorkKey, request: Work['request']): Promise<void> => {
    await request(staleKey, { urgent: false });
    const key = { namespace: '', name: installationName };
    const note = { writer: 'work', retry: true };
    try {
      await writer.update(kinds.named('Installation'), key, (current) => recordStalePass(current, clock.now()), note);
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

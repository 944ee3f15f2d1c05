/**
 * Events from workflows. Workers answer their tasks. An execution may continue while the
 * installation sleeps, so every event wakes it.
 */
import type { Log } from '../../machinery/ports.ts';
import type { Foundation } from '../../runtime/foundation.ts';
import { composeOperations, type Operations } from '../../runtime/operations.ts';
import { awakeningWork } from './awakening-work.ts';
import type { Switches } from './switches.ts';

export interface Operating extends Pick<Operations, 'operate' | 'ended'> {
  log: Log;
}

const answerElsewhere = () => Promise.reject(new Error('steps are answered by the workers'));

export const createOperating = (foundation: Foundation, switches: Switches): Operating => {
  const answers = { succeed: answerElsewhere, fail: answerElsewhere };
  const { operate, ended } = composeOperations(foundation, answers, awakeningWork(foundation, switches));
  return { log: foundation.log, operate, ended };
};

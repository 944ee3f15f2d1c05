/** Defects of the loop: work items, dispatch, passes, tasks of workflows. */
import type { Mutant } from '../mutant.ts';

const work: Mutant[] = [
  {
    name: 'a lease never ends',
    file: 'machinery/controller/work-item.ts',
    in: 'isHeld',
    drop: 'now < lease',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'two workers run one item concurrently',
    file: 'machinery/controller/work.ts',
    in: 'all',
    drop: "same('holder', item.holder)",
    suites: ['machinery/controller/work', 'test/model/work'],
  },
  {
    name: 'work that kills its workers is retried at once, without a limit',
    file: 'machinery/controller/work.ts',
    in: 'take',
    drop: '...(item.holder !== undefined && { add: { crashes: 1 } })',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'a work item is deleted although there is a new reason',
    file: 'machinery/controller/work.ts',
    in: 'all',
    drop: "same('want', want)",
    suites: ['machinery/controller/work', 'test/model/work'],
  },
  {
    name: 'a user’s change waits for the end of the backoff',
    file: 'machinery/controller/work-item.ts',
    in: 'isRunnable',
    replace: 'item.urgent > item.served',
    by: 'item.urgent > item.served && !isBackingOff(item, now)',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'nothing runs at a due time',
    file: 'machinery/controller/work-item.ts',
    in: 'isRunnable',
    replace: 'item.due <= now',
    by: 'item.due < 0',
    suites: ['machinery/controller/work', 'test/model/work'],
  },
  {
    name: 'work that always requeues itself is never slowed down',
    file: 'machinery/controller/work-item.ts',
    in: 'isRushed',
    replace: 'rushes > manyRushes',
    by: 'rushes < 0',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'the sweep requeues nothing',
    file: 'machinery/controller/work.ts',
    in: 'sweep',
    condition: 'isStranded(item, now)',
    by: 'false',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'a failed pass is repeated without a backoff',
    file: 'machinery/controller/work.ts',
    in: 'retry',
    drop: 'backoff(attempts, random)',
    suites: ['machinery/controller/work'],
  },
];

const dispatch: Mutant[] = [
  {
    name: 'a former owner is not woken',
    file: 'machinery/controller/dispatch.ts',
    in: 'ownersIn',
    drop: '...entry.ownersBefore',
    suites: ['machinery/controller/dispatch'],
  },
  {
    name: 'an object that leaves a cluster wakes only the new cluster',
    file: 'machinery/controller/dispatch.ts',
    in: 'clustersOf',
    drop: 'entry.clusterBefore',
    suites: ['machinery/controller/dispatch'],
  },
  {
    name: "a controller's own writes clear its backoff",
    file: 'machinery/controller/dispatch.ts',
    in: 'urgent',
    replace: 'entry.writer !== target.name',
    by: 'true',
    suites: ['machinery/controller/dispatch'],
  },
];

const passes: Mutant[] = [
  {
    name: 'a controller acts without its finalizer',
    file: 'machinery/controller/pass.ts',
    in: 'finalizers',
    drop: '...missing',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'a controller adds only its own finalizer',
    file: 'machinery/controller/pass.ts',
    in: 'missing',
    replace: '[...own, ...(controller.keptFor?.(options.config) ?? [])]',
    by: 'own',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'the intent is stored after the actions',
    file: 'machinery/controller/pass.ts',
    in: 'before',
    replace: 'actions.every(isClaim) ? observed : await writeObserved(pass, observed, intended)',
    by: 'observed',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'paused objects are acted on',
    file: 'machinery/controller/pass.ts',
    in: 'passOver',
    replace: 'paused === undefined',
    by: 'paused !== null',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'a finalizer is removed before its controller is done',
    file: 'machinery/controller/pass.ts',
    in: 'release',
    replace: 'plan.finished',
    by: 'observed.metadata.deletionTimestamp',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'an unreadable object counts as absent',
    file: 'machinery/controller/reader.ts',
    in: 'askPort',
    replace: "{ state: 'unreadable', reason: error instanceof Error ? error.message : String(error) }",
    by: 'absent',
    suites: ['machinery/controller/reader', 'machinery/controller/pass', 'test/aws'],
  },
  {
    name: 'a failure does not stop the rest of its group',
    file: 'machinery/controller/actions.ts',
    in: 'performAll',
    drop: 'if (stopped.has(action.group)) _',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'a namesake with another UID is deleted',
    file: 'machinery/controller/actions.ts',
    in: 'remove',
    drop: 'preconditions: _',
    suites: ['machinery/controller/pass', 'kinds/core/machine-set', 'test/sequence'],
  },
  {
    name: 'a namesake with another UID is patched',
    file: 'machinery/controller/actions.ts',
    in: 'changed',
    drop: 'if (current.metadata.uid !== uid) _',
    suites: ['machinery/controller/pass', 'kinds/core/machine-set', 'test/sequence'],
  },
  {
    name: 'a failed optional action fails the pass',
    file: 'machinery/controller/actions.ts',
    in: 'performAll',
    condition: 'optional',
    by: 'optional && group === undefined',
    suites: ['machinery/controller/pass', 'test/aws/additional-tags'],
  },
];

const tasks: Mutant[] = [
  {
    name: 'a task is deleted before its workflow received the result',
    file: 'machinery/operations/awaits.ts',
    in: 'answer',
    swap: ['await report(String(item.token), answer);', 'await table.write({ delete: { pk, sk: answer.to } });'],
    suites: ['machinery/operations'],
  },
  {
    name: 'the second token of a task overwrites the first',
    file: 'machinery/operations/awaits.ts',
    in: 'sk',
    replace: 'idOf(token)',
    by: 'request.step',
    suites: ['machinery/operations'],
  },
  {
    name: 'a task does not wake its operation',
    file: 'machinery/operations/operate.ts',
    in: 'createOperate',
    drop: 'await work.request(key, { urgent: true });',
    suites: ['machinery/operations', 'kinds/operations/cluster-operation', 'test/aws/operation'],
  },
];

export const loopMutants: readonly Mutant[] = [...work, ...dispatch, ...passes, ...tasks];

/** Defects of the loop: work items, dispatch, passes, tasks of workflows. */
import type { Mutant } from '../mutant.ts';

const work: Mutant[] = [
  {
    name: 'a lease never ends',
    file: 'machinery/controller/work-item.ts',
    find: 'lease !== undefined && now < lease;',
    replace: 'lease !== undefined;',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'two workers run one item at once',
    file: 'machinery/controller/work.ts',
    find: "              same('holder', item.holder),\n",
    replace: '',
    suites: ['machinery/controller/work', 'test/model/work'],
  },
  {
    name: 'what kills its workers is tried at once, for ever',
    file: 'machinery/controller/work.ts',
    find: '...(item.holder !== undefined && { add: { crashes: 1 } }),',
    replace: '',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'an item is forgotten although there is a new reason for it',
    file: 'machinery/controller/work.ts',
    find: "same('holder', holder), same('want', want)]",
    replace: "same('holder', holder)]",
    suites: ['machinery/controller/work', 'test/model/work'],
  },
  {
    name: 'what a user changes waits for the end of the backoff',
    file: 'machinery/controller/work-item.ts',
    find: 'item.urgent > item.served ||',
    replace: '(item.urgent > item.served && !isBackingOff(item, now)) ||',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'a due time passes and nothing runs',
    file: 'machinery/controller/work-item.ts',
    find: '(item.due !== undefined && item.due <= now);',
    replace: '(item.due !== undefined && item.due < 0);',
    suites: ['machinery/controller/work', 'test/model/work'],
  },
  {
    name: 'work that makes itself run again is never slowed down',
    file: 'machinery/controller/work-item.ts',
    find: 'rushes > manyRushes;',
    replace: 'rushes < 0;',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'the sweep wakes nothing',
    file: 'machinery/controller/work.ts',
    find: 'if (isStranded(item, clock.now())) await wake(key);',
    replace: 'isStranded(item, clock.now());',
    suites: ['machinery/controller/work'],
  },
  {
    name: 'a failed pass is repeated at once',
    file: 'machinery/controller/work.ts',
    find: 'retry: () => now + backoff(attempts, random),',
    replace: 'retry: () => now,',
    suites: ['machinery/controller/work'],
  },
];

const dispatch: Mutant[] = [
  {
    name: 'a former owner is not told',
    file: 'machinery/controller/dispatch.ts',
    find: '[...entry.owners, ...entry.ownersBefore]',
    replace: '[...entry.owners]',
    suites: ['machinery/controller/dispatch'],
  },
  {
    name: 'what leaves a cluster wakes only the other one',
    file: 'machinery/controller/dispatch.ts',
    find: '[entry.cluster, entry.clusterBefore]',
    replace: '[entry.cluster]',
    suites: ['machinery/controller/dispatch'],
  },
  {
    name: "a controller's own writes clear its backoff",
    file: 'machinery/controller/dispatch.ts',
    find: 'urgent: entry.writer !== target.name,',
    replace: 'urgent: true,',
    suites: ['machinery/controller/dispatch'],
  },
];

const passes: Mutant[] = [
  {
    name: 'a controller acts without its finalizer',
    file: 'machinery/controller/pass.ts',
    find: 'finalizers: [...finalizers, ...missing]',
    replace: 'finalizers: [...finalizers]',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'a controller holds an object for itself alone',
    file: 'machinery/controller/pass.ts',
    find: '[...own, ...(controller.keptFor?.(options.config) ?? [])].filter(isMissing)',
    replace: 'own.filter(isMissing)',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'what is to be done is written down after it was done',
    file: 'machinery/controller/pass.ts',
    find: `  const before = actions.every(isClaim) ? observed : await writeObserved(pass, observed, intended);
`,
    replace: `  const before = observed;
`,
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'paused objects are acted on',
    file: 'machinery/controller/pass.ts',
    find: 'if (paused === undefined) return apply(',
    replace: 'if (paused !== null) return apply(',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'an object is let go before its controller is done with it',
    file: 'machinery/controller/pass.ts',
    find: 'const release = plan.finished ? controller.finalizer : undefined;',
    replace: 'const release = observed.metadata.deletionTimestamp ? controller.finalizer : undefined;',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'what cannot be read counts as absent',
    file: 'machinery/controller/reader.ts',
    find: "return { state: 'unreadable', reason: error instanceof Error ? error.message : String(error) };",
    replace: 'return absent;',
    suites: ['machinery/controller/reader', 'machinery/controller/pass', 'test/aws'],
  },
  {
    name: 'after a failure the rest of the group is done all the same',
    file: 'machinery/controller/actions.ts',
    find: 'if (stopped.has(action.group)) continue;',
    replace: '',
    suites: ['machinery/controller/pass'],
  },
  {
    name: 'a successor of the same name is deleted in the place of what was meant',
    file: 'machinery/controller/actions.ts',
    find: '{ writer: name, preconditions: { uid: action.uid } }',
    replace: '{ writer: name }',
    suites: ['machinery/controller/pass', 'kinds/core/machine-set', 'test/sequence'],
  },
  {
    name: 'a successor of the same name is patched in the place of what was meant',
    file: 'machinery/controller/actions.ts',
    find: 'if (current.metadata.uid !== uid) throw notFound(kind, action.name);',
    replace: '',
    suites: ['machinery/controller/pass', 'kinds/core/machine-set', 'test/sequence'],
  },
  {
    name: 'what is optional fails a pass',
    file: 'machinery/controller/actions.ts',
    find: 'if (optional) forgone.push(one);',
    replace: 'if (optional && group === undefined) forgone.push(one);',
    suites: ['machinery/controller/pass', 'test/aws/additional-tags'],
  },
];

const tasks: Mutant[] = [
  {
    name: 'a task is forgotten before its workflow was told',
    file: 'machinery/operations/awaits.ts',
    find: `        await tell(String(item.token), answer);
        await table.write({ delete: { pk, sk: answer.to } });
`,
    replace: `        await table.write({ delete: { pk, sk: answer.to } });
        await tell(String(item.token), answer);
`,
    suites: ['machinery/operations'],
  },
  {
    name: 'the token of a doubled task overwrites the first',
    file: 'machinery/operations/awaits.ts',
    find: 'sk: idOf(token), ...request, token',
    replace: 'sk: request.step, ...request, token',
    suites: ['machinery/operations'],
  },
  {
    name: 'a task wakes nobody',
    file: 'machinery/operations/operate.ts',
    find: 'await work.request(key, { urgent: true });',
    replace: '',
    suites: ['machinery/operations', 'kinds/operations/cluster-operation', 'test/aws/operation'],
  },
];

export const loopMutants: readonly Mutant[] = [...work, ...dispatch, ...passes, ...tasks];

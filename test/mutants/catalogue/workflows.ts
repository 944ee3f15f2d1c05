/** Defects of operations and of the workflows that drive them. */
import type { Mutant } from '../mutant.ts';

const definitions: Mutant[] = [
  {
    name: 'whatever goes wrong is undone',
    file: 'stepfunctions/create-cluster/definition.asl.json',
    find: '"Default": "Held"',
    replace: '"Default": "TearDown"',
    suites: ['test/workflow/stories'],
  },
  {
    name: 'a policy that holds tears down',
    file: 'stepfunctions/create-cluster/definition.asl.json',
    find: `"Condition": "{% $states.input.policy = 'TearDown' %}"`,
    replace: `"Condition": "{% $states.input.policy != 'Retry' %}"`,
    suites: ['test/workflow/stories'],
  },
  {
    name: 'a catcher takes errors that it does not name',
    file: 'local/workflow/errors.ts',
    find: '      return name === error;',
    replace: '      return name !== error;',
    suites: ['test/workflow/stories'],
  },
  {
    name: 'a task is retried for ever',
    file: 'local/workflow/errors.ts',
    find: 'if (made >= MaxAttempts) return undefined;',
    replace: '',
    suites: ['test/workflow/stories'],
  },
];

const operations: Mutant[] = [
  {
    name: 'a cluster that was Available is torn down',
    file: 'kinds/operations/cluster-operation/removal.ts',
    find: 'everAvailable(cluster) || spec.adopted === true',
    replace: 'spec.adopted === true',
    suites: ['kinds/operations/cluster-operation/removal'],
  },
  {
    name: 'a cluster that was there before Capstan is torn down',
    file: 'kinds/operations/cluster-operation/removal.ts',
    find: 'everAvailable(cluster) || spec.adopted === true',
    replace: 'everAvailable(cluster)',
    suites: ['kinds/operations/cluster-operation/removal'],
  },
  {
    name: 'the target of a cluster moves although it has become Available',
    file: 'kinds/operations/cluster-operation/scene.ts',
    find: "if (target !== 'Build' && everAvailable(cluster)) return [];",
    replace: '',
    suites: ['kinds/operations/cluster-operation/reconcile', 'kinds/operations/cluster-operation'],
  },
  {
    name: 'the target of a cluster moves whatever happened to it since',
    file: 'kinds/operations/cluster-operation/scene.ts',
    find: 'return [patchAsObserved(cluster, {',
    replace: "return [patchAsObserved({ ...cluster, metadata: { ...cluster.metadata, resourceVersion: '' } }, {",
    suites: ['kinds/operations/cluster-operation/reconcile', 'kinds/operations/cluster-operation'],
  },
  {
    name: 'a workflow is started again under another name',
    file: 'kinds/operations/cluster-operation/alone.ts',
    find: "const name = executionName(cluster.metadata.uid ?? '', spec);",
    replace: "const name = `${executionName(cluster.metadata.uid ?? '', spec)}-${operation.metadata.resourceVersion}`;",
    suites: ['kinds/operations/cluster-operation/reconcile'],
  },
  {
    name: 'a second attempt has the workflow of the first',
    file: 'kinds/operations/cluster-operation/execution.ts',
    find: '-${fingerprint}-${attempt}`',
    replace: '-${fingerprint}-${attempt > 0 ? 1 : 0}`',
    suites: ['kinds/operations/cluster-operation/execution'],
  },
  {
    name: 'the operation of a paused cluster decides',
    file: 'kinds/operations/cluster-operation/reconcile.ts',
    find: 'if (isPaused(situation.cluster)) return planOf',
    replace: 'if (isPaused(situation.cluster) && now < 0) return planOf',
    suites: ['kinds/operations/cluster-operation/reconcile'],
  },
  {
    name: 'the clock of an operation runs on while its cluster is paused',
    file: 'kinds/operations/cluster-operation/reconcile.ts',
    find: 'clock: stopped(rest.clock, now), message',
    replace: 'clock: rest.clock, message',
    suites: ['kinds/operations/cluster-operation/reconcile'],
  },
  {
    name: "the tasks of a predecessor of that name are taken for the operation's own",
    file: 'kinds/operations/cluster-operation/reconcile.ts',
    find: 'uid === operation.metadata.uid;',
    replace: "uid !== '';",
    suites: ['kinds/operations/cluster-operation/reconcile'],
  },
  {
    name: 'a workflow that does not show yet is taken for lost',
    file: 'kinds/operations/cluster-operation/alone.ts',
    find: 'if (isYoung(scene)) return { status, requeueAfter: 10 };',
    replace: '',
    suites: ['kinds/operations/cluster-operation/alone'],
  },
  {
    name: 'an operation goes on after another one was named in its place',
    file: 'kinds/operations/cluster-operation/cancel.ts',
    find: 'if (successor !== undefined) return {',
    replace: "if (successor === '') return {",
    suites: ['kinds/operations/cluster-operation/reconcile'],
  },
  {
    name: 'a cluster is begun while its manifest is still being applied',
    file: 'kinds/operations/cluster-operation/start/reconcile.ts',
    find: 'if (left > 0) return { requeueAfter: left };',
    replace: '',
    suites: ['kinds/operations/cluster-operation/start'],
  },
  {
    name: 'a cluster is begun again while it is being torn down',
    file: 'kinds/operations/cluster-operation/start/reconcile.ts',
    find: 'if (tearingDown) return tearingDown;',
    replace: '',
    suites: ['kinds/operations/cluster-operation/start'],
  },
  {
    name: 'a new operation inherits the target of the one before',
    file: 'kinds/operations/cluster-operation/start/reconcile.ts',
    find: 'metadata.name, [operationAnnotations.target]: null });',
    replace: 'metadata.name });',
    suites: ['kinds/operations/cluster-operation/start'],
  },
  {
    name: 'what preflight refuses is paid for',
    file: 'kinds/operations/cluster-operation/building.ts',
    find: "    case 'refused':\n      return { verdict, message };",
    replace: "    case 'refused':\n      return done;",
    suites: ['kinds/operations/cluster-operation/reconcile', 'kinds/operations/cluster-operation'],
  },
  {
    name: 'machines are made before preflight has passed',
    file: 'kinds/operations/cluster-operation/building.ts',
    find: "stepOf(status, 'Preflight')?.verdict === 'Succeeded' && writtenTarget",
    replace: 'writtenTarget',
    suites: ['kinds/operations/cluster-operation/reconcile', 'kinds/operations/cluster-operation'],
  },
  {
    name: 'a doubled task is judged anew',
    file: 'kinds/operations/cluster-operation/building.ts',
    find: 'if (told) return { status: before, told, actions: admission(scene, before) };',
    replace: '',
    suites: ['kinds/operations/cluster-operation/reconcile', 'kinds/operations/cluster-operation'],
  },
  {
    name: 'a teardown is proven before what was under way can show',
    file: 'kinds/operations/cluster-operation/removal.ts',
    find: "if (judgement.verdict === 'done' && !isSettled(status, scene.now)) return",
    replace: "if (judgement.verdict === 'refused' && !isSettled(status, scene.now)) return",
    suites: ['kinds/operations/cluster-operation/removal'],
  },
];

export const workflowMutants: readonly Mutant[] = [...definitions, ...operations];

/** Every seeded defect there is: each rule of a protocol switched off, and decisions that are wrong. */
import { awakeRules } from '../../adapters/aws/timers/awake.ts';
import { workRules } from '../../machinery/controller/work.ts';
import { rules as storeRules } from '../../machinery/store/rules.ts';
import type { Mutant } from './mutant.ts';

const switchedOff = (area: string, file: string, rules: object, suites: readonly string[]): Mutant[] =>
  Object.entries(rules)
    .filter(([, value]) => value === true)
    .map(([rule]) => ({
      name: `${area} without the rule ${rule}`,
      file,
      find: `  ${rule}: true,`,
      replace: `  ${rule}: false,`,
      suites,
    }));

const protocols: Mutant[] = [
  ...switchedOff('the store', 'machinery/store/rules.ts', storeRules, ['test/model/store']),
  ...switchedOff('the work items', 'machinery/controller/work.ts', workRules, [
    'test/model/work',
    'machinery/controller',
  ]),
  ...switchedOff('sleep', 'adapters/aws/timers/awake.ts', awakeRules, ['test/model/awake', 'adapters/aws/timers']),
];

const decisions: Mutant[] = [
  {
    name: 'etcd needs a vote less for its quorum',
    file: 'kinds/kubeadm-control-plane/etcd.ts',
    find: 'Math.floor(voting / 2) + 1',
    replace: 'Math.floor(voting / 2)',
    suites: ['kinds/kubeadm-control-plane'],
  },
  {
    name: 'a learner does not keep etcd from changing',
    file: 'kinds/kubeadm-control-plane/etcd.ts',
    find: ' >= quorum && learners === 0',
    replace: ' >= quorum',
    suites: ['kinds/kubeadm-control-plane'],
  },
  {
    name: 'maxUnavailable is ignored',
    file: 'kinds/machine-deployment/rollout.ts',
    find: 'Math.max(replicas - maxUnavailable, 0)',
    replace: 'Math.max(maxUnavailable - replicas, 0)',
    suites: ['kinds/machine-deployment', 'test/sequence'],
  },
  {
    name: 'a rollout makes one machine more than maxSurge',
    file: 'kinds/machine-deployment/rollout.ts',
    find: 'replicas + maxSurge - total',
    replace: 'replicas + maxSurge + 1 - total',
    suites: ['kinds/machine-deployment', 'test/sequence'],
  },
  {
    name: 'machines to be deleted still count as available',
    file: 'kinds/machine-deployment/rollout.ts',
    find: ' - pending - minAvailable - newUnavailable',
    replace: ' - minAvailable - newUnavailable',
    suites: ['kinds/machine-deployment', 'test/sequence'],
  },
  {
    name: 'instances are launched without a client token',
    file: 'kinds/aws-machine/provision.ts',
    find: '        ClientToken: launch.token,\n        UserData',
    replace: '        UserData',
    suites: ['kinds/aws-machine', 'test/aws'],
  },
  {
    name: 'a launch that ran and went is tried with its token again',
    file: 'kinds/aws-machine/launch.ts',
    find: 'if (over) return next',
    replace: 'if (over && failure) return next',
    suites: ['kinds/aws-machine', 'test/aws'],
  },
  {
    name: 'a spent token is given up at once, however late describe calls are',
    file: 'kinds/aws-machine/launch.ts',
    find: "now - launch.since < visibleWithin ? { do: 'wait' } : next(launch.exhausted)",
    replace: 'next(launch.exhausted)',
    suites: ['kinds/aws-machine', 'test/aws'],
  },
  {
    name: 'a machine without an instance in sight is gone, although its launch may be under way',
    file: 'kinds/aws-machine/remove.ts',
    find: '  mayBeHidden(launch, now) &&\n',
    replace: '  !mayBeHidden(launch, now) &&\n',
    suites: ['kinds/aws-machine', 'test/aws'],
  },
  {
    name: 'a namesake of an owner counts as the owner',
    file: 'machinery/gc/owners.ts',
    find: 'if (owner?.metadata.uid !== reference.uid)',
    replace: 'if (!owner)',
    suites: ['machinery/gc'],
  },
  {
    name: 'what has an owner of a kind that nobody knows is collected',
    file: 'machinery/gc/owners.ts',
    find: "if (!kind) return 'unknown'",
    replace: "if (!kind) return 'absent'",
    suites: ['machinery/gc'],
  },
  {
    name: 'owners are seen gone only once',
    file: 'machinery/gc/collector.ts',
    find: 'const again = await statesOf(object);',
    replace: 'const again = states;',
    suites: ['machinery/gc'],
  },
  {
    name: 'a lease never ends',
    file: 'machinery/controller/work-item.ts',
    find: 'lease !== undefined && now < lease;',
    replace: 'lease !== undefined;',
    suites: ['machinery/controller', 'test/model/work'],
  },
  {
    name: 'the sweep wakes nothing',
    file: 'machinery/controller/work.ts',
    find: 'if (isStranded(item, clock.now())) await wake(key);',
    replace: 'isStranded(item, clock.now());',
    suites: ['machinery/controller', 'test/model/work'],
  },
  {
    name: 'a failed pass is repeated at once',
    file: 'machinery/controller/work.ts',
    find: 'retry: () => now + backoff(attempts, random),',
    replace: 'retry: () => now,',
    suites: ['machinery/controller', 'test/model/work'],
  },
];

export const mutants: readonly Mutant[] = [...protocols, ...decisions];

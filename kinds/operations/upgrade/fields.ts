import { atomicList, boolean, int32, object, oneOf, required, string, time } from '../../../machinery/api/schema.ts';
import { upgradeSteps } from './step-names.ts';

const upgradedObject = object('A control plane or MachineDeployment whose Machines are replaced.', {
  kind: required(string('Its kind.', { minLength: 1 })),
  name: required(string('Its name.', { minLength: 1 })),
  revision: required(string('Hash of the fields of its spec whose change replaces Machines.', { minLength: 1 })),
  from: string('The lowest version of its Machines when the operation began.'),
  to: string('The version that its spec asks for.'),
});

export const upgradeSpec = {
  objects: atomicList('What an upgrade replaces Machines of, in this order.', upgradedObject),
  continued: atomicList('The steps before which an upgrade no longer pauses.', oneOf('A step.', upgradeSteps)),
};

export const upgradeStatus = {
  remainingPods: int32('Fewest Pods of add-ons left to update so far; when it falls, the clock restarts.', {
    minimum: 0,
  }),
  deciding: time('Since when the guards of a rollback are checked.'),
  guarded: boolean('Every guard held: the control plane goes back although new members serve.'),
};

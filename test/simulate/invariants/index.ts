/** What must hold in every run, by subject. */

import { addOnsRules } from './add-ons/index.ts';
import { autoscalingRules } from './autoscaling/index.ts';
import { bootstrapRules } from './bootstrap/index.ts';
import { conditionsRules } from './conditions/index.ts';
import { controlPlaneRules } from './control-plane/index.ts';
import { eventsRules } from './events/index.ts';
import { loadBalancerRules } from './load-balancer/index.ts';
import { machinesRules } from './machines/index.ts';
import { networkRules } from './network/index.ts';
import { nodesRules } from './nodes/index.ts';
import { objectsRules } from './objects/index.ts';
import { operationsRules } from './operations/index.ts';
import { ownershipRules } from './ownership/index.ts';
import { rolloutRules } from './rollout/index.ts';
import { type CloudCall, type Rule, type Rules, type Setting, Violation } from './rule.ts';
import { secretsRules } from './secrets/index.ts';
import { workQueueRules } from './work-queue/index.ts';

export { plant } from './ownership/unmanaged.ts';
export { type CloudCall, type Setting, Violation } from './rule.ts';

/** The rules by subject. A violation is named after the subject and the rule. */
export const subjects = {
  'control-plane': controlPlaneRules,
  machines: machinesRules,
  rollout: rolloutRules,
  bootstrap: bootstrapRules,
  nodes: nodesRules,
  network: networkRules,
  'load-balancer': loadBalancerRules,
  ownership: ownershipRules,
  operations: operationsRules,
  secrets: secretsRules,
  conditions: conditionsRules,
  events: eventsRules,
  objects: objectsRules,
  'add-ons': addOnsRules,
  autoscaling: autoscalingRules,
  'work-queue': workQueueRules,
} satisfies Record<string, Rules>;

export interface Invariants {
  onCall(call: CloudCall): void;
  atEnd(): Promise<void>;
}

export const createInvariants = (setting: Setting): Invariants => {
  const watches = Object.entries(subjects).flatMap(([subject, rules]) =>
    Object.entries<Rule>(rules).map(([name, rule]) =>
      rule(setting, (message) => new Violation(`${subject}: ${name}`, message)),
    ),
  );
  setting.world.mirror.onCommit((commit) => {
    for (const { onCommit } of watches) onCommit?.(commit);
  });
  return {
    onCall: (call) => {
      for (const { onCall } of watches) onCall?.(call);
    },
    atEnd: async () => {
      for (const { atEnd } of watches) await atEnd?.();
    },
  };
};

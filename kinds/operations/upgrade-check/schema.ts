import type { KubeObject } from '../../../machinery/api/object.ts';
import { atomicList, type Infer, int32, object, oneOf, required, string, time } from '../../../machinery/api/schema.ts';
import { clusterName } from '../../common/schema.ts';
import { categories } from './checks/categories.ts';

export const results = ['Passing', 'Warning', 'Error', 'Unknown'] as const;
/** The steps of an upgrade that wait for a check, and the decision whether it is rolled back. */
export const checkedSteps = ['Preflight', 'AddOns', 'Decide'] as const;

export const upgradeCheckSpec = object('Which cluster is checked.', {
  clusterName: required(clusterName('Name of the Cluster. The check has the same name.')),
});

const finding = object('What stands in the way of the upgrade.', {
  code: required(string('The same for every cluster with this problem, in CamelCase.')),
  category: required(oneOf('What it is about.', categories)),
  status: required(
    oneOf('Error: the upgrade would fail or do harm. Warning: worth knowing. Unknown: it could not be checked.', [
      'Warning',
      'Error',
      'Unknown',
    ]),
  ),
  object: required(string('Kind and name of the object.')),
  message: required(string('What is wrong.')),
  remedy: required(string('What to do about it.')),
});

export const upgradeCheckStatus = object('What was found last.', {
  target: string('The version of the upgrade: of a running one, else the requested or the next minor version.'),
  request: string('The value of the annotation capstan.dev/check-upgrade that was answered last.'),
  operation: string('The ClusterOperation that waits for the check; absent for the daily check.'),
  step: oneOf('The step of that operation.', checkedSteps),
  result: oneOf('The worst of the findings.', results),
  findings: atomicList('Errors first, at most 50.', finding),
  omitted: int32('Further findings that are not listed.', { minimum: 0 }),
  podsLeft: int32('Pods of add-ons on Ready Nodes that are not updated and ready yet.', { minimum: 0 }),
  lastTransition: time('When the findings changed last.'),
  lastRefresh: time('When the cluster was checked last.'),
});

export type UpgradeCheckSpec = Infer<typeof upgradeCheckSpec>;
export type UpgradeCheckStatus = Infer<typeof upgradeCheckStatus>;
export type CheckFinding = NonNullable<UpgradeCheckStatus['findings']>[number];
export type UpgradeCheck = KubeObject<UpgradeCheckSpec, UpgradeCheckStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    UpgradeCheck: UpgradeCheck;
  }
}

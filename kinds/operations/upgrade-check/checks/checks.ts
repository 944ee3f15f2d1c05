/** All checks before an upgrade. `capstan plan upgrade`, the upgrade's first step and the daily check share them. Pure. */
import { checkAddOns, checkCoreDns, checkVolumeZones } from './add-ons.ts';
import { checkApiServices, checkDeprecatedApis, checkStoredVersions } from './apis.ts';
import { checkDisruptionBudgets } from './budgets.ts';
import { checkEtcd, checkEtcdVersion } from './etcd.ts';
import type { Check, Finding, UpgradeFacts } from './facts.ts';
import { checkCluster, checkControlPlane, checkMachines, checkPaused, checkReachable } from './health.ts';
import { checkKubeadmConfig } from './kubeadm-config.ts';
import { checkBarePods, checkNodes, checkUnsafePods } from './pods.ts';
import { checkFlags, checkTarget, checkWorkerSkew } from './versions.ts';
import { checkWebhooks } from './webhooks.ts';

/** Versions and Cluster are known from Cluster API objects; the others are read in the cluster itself. */
const beforeUpgrades = ['Versions', 'Cluster', 'Etcd', 'Workload', 'AddOns'] as const;
/** Also of checks before a rollback. */
export const categories = [...beforeUpgrades, 'Rollback'] as const;
export type Category = (typeof categories)[number];

const byCategory: Readonly<Record<(typeof beforeUpgrades)[number], readonly Check[]>> = {
  Versions: [checkTarget, checkWorkerSkew, checkFlags],
  Cluster: [checkCluster, checkPaused, checkControlPlane, checkMachines],
  Etcd: [checkEtcdVersion, checkEtcd],
  Workload: [
    checkReachable,
    checkKubeadmConfig,
    checkNodes,
    checkDisruptionBudgets,
    checkBarePods,
    checkUnsafePods,
    checkWebhooks,
    checkApiServices,
    checkStoredVersions,
    checkDeprecatedApis,
    checkVolumeZones,
  ],
  AddOns: [checkAddOns, checkCoreDns],
};

export type CategorizedFinding = Finding & { category: Category };

export const ofObjects = ['Versions', 'Cluster'] as const satisfies Category[];

export const findingsOf = (
  facts: UpgradeFacts,
  of: readonly (typeof beforeUpgrades)[number][] = beforeUpgrades,
): CategorizedFinding[] =>
  of.flatMap((category) =>
    byCategory[category].flatMap((check) => check(facts).map((finding) => ({ ...finding, category }))),
  );

export const refusalsFirst = <F extends Finding>(findings: readonly F[]): F[] => [
  ...findings.filter(({ level }) => level === 'Refuse'),
  ...findings.filter(({ level }) => level === 'Warn'),
];

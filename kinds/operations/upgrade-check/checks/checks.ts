/** All checks before an upgrade. `capstan plan upgrade`, the upgrade's first step and the daily check share them. Pure. */
import { checkAddOns, checkCoreDns, checkVolumeZones } from './add-ons.ts';
import { checkApiServices, checkDeprecatedApis, checkStoredVersions } from './apis.ts';
import { checkDisruptionBudgets } from './budgets.ts';
import type { Checks } from './categories.ts';
import { checkEtcd, checkEtcdVersion } from './etcd.ts';
import { checkReachable } from './health.ts';
import { checkInfrastructure } from './infrastructure.ts';
import { checkKubeadmConfig } from './kubeadm-config.ts';
import { objectChecks } from './object-checks.ts';
import { checkBarePods, checkNodes, checkUnsafePods } from './pods.ts';
import { checkWebhooks } from './webhooks.ts';

export const allChecks: Checks = {
  ...objectChecks,
  Infrastructure: [checkInfrastructure],
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

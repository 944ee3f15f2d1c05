/** From v1beta1 of Cluster API to v1beta2, by the rules with which the API serves both. */
import { isSeq } from 'yaml';
import { specValue } from '../../kinds/bootstrap-kubeadm/kubeadm-config/convert.ts';
import { change, inEach, inside, move, type Rule } from '../../kinds/common/conversion.ts';
import { deletionTimeouts, templateReference } from '../../kinds/common/conversion-values.ts';
import { rules as ofControlPlane } from '../../kinds/controlplane-kubeadm/kubeadm-control-plane/convert.ts';
import { rules as ofCluster } from '../../kinds/core/cluster/convert.ts';
import { machineSpecRules, rules as ofMachine } from '../../kinds/core/machine/convert.ts';
import { rules as ofDeployment, strategyRules } from '../../kinds/core/machine-deployment/convert.ts';
import { checkRules, rules as ofHealthCheck } from '../../kinds/core/machine-health-check/convert.ts';
import { rules as ofSet } from '../../kinds/core/machine-set/convert.ts';
import { groups, knownVersion, type Manifest, rename, today } from './manifest.ts';
import { at, fieldIn, type MapNode, mapsIn, scalar, setField, textAt } from './nodes.ts';

const template: Rule[] = [
  move('template.metadata', 'metadata'),
  move('template.bootstrap.ref', 'bootstrap.templateRef', templateReference),
  move('template.infrastructure.ref', 'infrastructure.templateRef', templateReference),
  move('namingStrategy', 'naming'),
  ...deletionTimeouts,
];
const healthCheck = checkRules('machineHealthCheck', 'healthCheck');
const ofClass: Rule[] = [
  move('infrastructure.ref', 'infrastructure.templateRef', templateReference),
  move('infrastructureNamingStrategy', 'infrastructure.naming'),
  inside('controlPlane', [
    move('ref', 'templateRef', templateReference),
    move('machineInfrastructure.ref', 'machineInfrastructure.templateRef', templateReference),
    move('namingStrategy', 'naming'),
    ...healthCheck,
    ...deletionTimeouts,
  ]),
  inEach('workers.machineDeployments', [
    ...template,
    ...healthCheck,
    ...strategyRules('healthCheck.remediation.maxInFlight'),
  ]),
  inEach('workers.machinePools', template),
  inEach('patches', [
    move('external.generateExtension', 'external.generatePatchesExtension'),
    move('external.validateExtension', 'external.validateTopologyExtension'),
  ]),
  inEach('variables', [move('metadata', 'deprecatedV1Beta1Metadata')]),
];

const below = (rule: Rule): Rule => ({
  ...rule,
  older: ['spec', 'template', ...rule.older],
  newer: ['spec', 'template', ...rule.newer],
});

const rules: Record<string, Rule[]> = {
  Cluster: ofCluster,
  Machine: ofMachine,
  MachineSet: ofSet,
  MachineDeployment: ofDeployment,
  MachineHealthCheck: ofHealthCheck,
  MachinePool: [
    move('spec.minReadySeconds', 'spec.template.spec.minReadySeconds'),
    inside('spec.template.spec', machineSpecRules),
  ],
  ClusterClass: [inside('spec', ofClass)],
  KubeadmConfig: [change('spec', specValue)],
  KubeadmConfigTemplate: [change('spec.template.spec', specValue)],
  KubeadmControlPlane: ofControlPlane,
  KubeadmControlPlaneTemplate: ofControlPlane.map(below),
};

/** Group and version of each reference to a kind whose versions are known. */
const updateReferences = ({ node, kind, namespace, changes }: Manifest): void => {
  const hasPatches = kind === 'ClusterClass' && fieldIn(at(node, 'spec'), 'patches') !== undefined;
  for (const { map, path } of mapsIn(at(node, 'spec'), 'spec')) {
    const [apiVersion, referred] = [textAt(map, 'apiVersion'), textAt(map, 'kind')];
    if (apiVersion === undefined || referred === undefined) continue;
    const elsewhere = textAt(map, 'namespace');
    if (elsewhere && namespace && elsewhere !== namespace && knownVersion(apiVersion, referred))
      changes.add('error', `${path}.namespace`, 'a reference stays in the namespace of its object', {
        from: elsewhere,
      });
    if (elsewhere && !namespace && elsewhere !== 'default' && knownVersion(apiVersion, referred))
      changes.add('note', `${path}.namespace`, 'a reference has none now: the object must be in this namespace, too', {
        from: elsewhere,
      });
    const version = knownVersion(apiVersion, referred);
    if (!version || (hasPatches && version === 'v1beta1' && /^Kubeadm/.test(referred))) continue;
    const newer = `${groups[referred]!}/${today}`;
    const namesVersion =
      kind === 'ClusterClass' || path.endsWith('.remediationTemplate') || path.endsWith('.templateRef');
    const isMoved = groups[referred] !== apiVersion.split('/')[0];
    if (newer === apiVersion || !(namesVersion || isMoved)) continue;
    setField(map, 'apiVersion', scalar(newer));
    changes.add('changed', `${path}.apiVersion`, 'the version of today', { from: apiVersion, to: newer });
  }
  if (hasPatches) notePatches(node, changes);
};

const notePatches = (node: MapNode, changes: Manifest['changes']): void => {
  const patches = at(node, 'spec', 'patches');
  if (isSeq(patches) && patches.items.length > 0)
    changes.add(
      'note',
      'spec.patches',
      'paths of patches are not converted: compare them with the templates that they patch',
    );
};

const strategies: Record<string, string[]> = {
  MachineDeployment: ['spec', 'rollout', 'strategy'],
  KubeadmControlPlane: ['spec', 'rollout', 'strategy'],
  KubeadmControlPlaneTemplate: ['spec', 'template', 'spec', 'rollout', 'strategy'],
};

export const toToday = (manifest: Manifest): void => {
  updateReferences(manifest);
  rename(manifest, today, rules[manifest.kind] ?? []);
  const path = strategies[manifest.kind];
  const strategy = path && at(manifest.node, ...path);
  if (path && strategy !== undefined && fieldIn(strategy, 'type') === undefined) {
    setField(strategy as MapNode, 'type', scalar('RollingUpdate'), 0);
    manifest.changes.add('changed', `${path.join('.')}.type`, 'required since v1beta2', { to: 'RollingUpdate' });
  }
};

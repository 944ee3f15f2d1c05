import {
  change,
  conversion,
  eachOf,
  inEach,
  inside,
  move,
  nested,
  type Rule,
  versionOf,
} from '../../common/conversion.ts';
import { deletionTimeouts, statusFields, templateReference } from '../../common/conversion-values.ts';
import { coreGroup } from '../../common/versions.ts';
import { strategyRules } from '../machine-deployment/convert.ts';
import { checkRules } from '../machine-health-check/convert.ts';
import { clusterClassSpec, clusterClassSpecV1beta1, clusterClassStatus, clusterClassStatusV1beta1 } from './schema.ts';

const template = (older: string, newer: string): Rule => move(`${older}ref`, `${newer}templateRef`, templateReference);
const machineTemplate: Rule[] = [
  move('template.metadata', 'metadata'),
  template('template.bootstrap.', 'bootstrap.'),
  template('template.infrastructure.', 'infrastructure.'),
];
const healthCheck = checkRules('machineHealthCheck', 'healthCheck');
const naming = move('namingStrategy', 'naming');
const metadata = move('metadata', 'deprecatedV1Beta1Metadata');

const patchRules: Rule[] = [
  move('external.generateExtension', 'external.generatePatchesExtension'),
  move('external.validateExtension', 'external.validateTopologyExtension'),
];

export const { rules, toStorage, fromStorage } = conversion(
  versionOf(`${coreGroup}/v1beta1`, { spec: clusterClassSpecV1beta1, status: clusterClassStatusV1beta1 }),
  versionOf(`${coreGroup}/v1beta2`, { spec: clusterClassSpec, status: clusterClassStatus }),
  [
    inside('spec.controlPlane', [
      template('', ''),
      template('machineInfrastructure.', 'machineInfrastructure.'),
      naming,
      ...healthCheck,
      ...deletionTimeouts,
    ]),
    template('spec.infrastructure.', 'spec.infrastructure.'),
    move('spec.infrastructureNamingStrategy', 'spec.infrastructure.naming'),
    inEach('spec.workers.machineDeployments', [
      ...machineTemplate,
      naming,
      ...healthCheck,
      ...deletionTimeouts,
      ...strategyRules('healthCheck.remediation.maxInFlight'),
    ]),
    inEach('spec.workers.machinePools', [...machineTemplate, naming, ...deletionTimeouts]),
    inEach('spec.patches', patchRules),
    inEach('spec.variables', [metadata]),
    ...statusFields(),
    change('status.variables', eachOf(nested([change('definitions', eachOf(nested([metadata])))]))),
  ],
);

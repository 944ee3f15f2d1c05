/** Whether Clusters of one ClusterClass may follow another one, or a changed one. */
import { type FieldError, groupOf } from '../../../machinery/api/kind.ts';
import { forbiddenField } from '../../common/validate.ts';
import type { ClusterClassSpec } from './schema.ts';

interface TemplateRef {
  apiVersion: string;
  kind: string;
}

const danger = 'to prevent incompatible changes in the Clusters';
const compareTemplates = (
  at: string,
  before: TemplateRef | undefined,
  after: TemplateRef | undefined,
): FieldError[] => {
  const groups = [before, after].map((one) => groupOf(one?.apiVersion ?? ''));
  const kinds = [before, after].map((one) => one?.kind ?? '');
  return [
    ...(groups[0] === groups[1]
      ? []
      : [
          forbiddenField(
            `${at}.apiVersion`,
            `group of apiVersion cannot be changed from "${groups[0]}" to "${groups[1]}" ${danger}`,
          ),
        ]),
    ...(kinds[0] === kinds[1]
      ? []
      : [forbiddenField(`${at}.kind`, `kind cannot be changed from "${kinds[0]}" to "${kinds[1]}" ${danger}`)]),
  ];
};

interface WorkerClass {
  class: string;
  infrastructure: { templateRef: TemplateRef };
}
const compareWorkers = (
  field: string,
  before: readonly WorkerClass[] = [],
  after: readonly WorkerClass[] = [],
): FieldError[] =>
  after.flatMap((one, i) => {
    const same = before.find((other) => other.class === one.class);
    const at = `spec.workers.${field}[${i}].infrastructure.templateRef`;
    return same ? compareTemplates(at, same.infrastructure.templateRef, one.infrastructure.templateRef) : [];
  });

export const validateCompatible = (before: ClusterClassSpec, after: ClusterClassSpec): FieldError[] => [
  ...compareTemplates(
    'spec.infrastructure.templateRef',
    before.infrastructure.templateRef,
    after.infrastructure.templateRef,
  ),
  ...compareTemplates('spec.controlPlane.templateRef', before.controlPlane.templateRef, after.controlPlane.templateRef),
  ...compareTemplates(
    'spec.controlPlane.machineInfrastructure.templateRef',
    before.controlPlane.machineInfrastructure?.templateRef,
    after.controlPlane.machineInfrastructure?.templateRef,
  ),
  ...compareWorkers('machineDeployments', before.workers?.machineDeployments, after.workers?.machineDeployments),
  ...compareWorkers('machinePools', before.workers?.machinePools, after.workers?.machinePools),
];

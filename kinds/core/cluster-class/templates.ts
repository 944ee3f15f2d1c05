/** The templates that a ClusterClass refers to. Pure. */
import type { ClusterClassSpec } from './schema.ts';

export interface TemplateRef {
  apiVersion: string;
  kind: string;
  name: string;
}

export const templatesOfClass = ({ infrastructure, controlPlane, workers }: ClusterClassSpec): TemplateRef[] => [
  infrastructure.templateRef,
  controlPlane.templateRef,
  ...(controlPlane.machineInfrastructure ? [controlPlane.machineInfrastructure.templateRef] : []),
  ...[...(workers?.machineDeployments ?? []), ...(workers?.machinePools ?? [])].flatMap((one) => [
    one.bootstrap.templateRef,
    one.infrastructure.templateRef,
  ]),
];

/** Whether the infrastructure provider can create the new Machines: images, instance types and quotas. Pure. */
import type { Preflight } from '../../../core/contract/infrastructure.ts';
import { type Check, type Finding, nameOf, ofField } from './facts.ts';

const remedy = 'Change the field that it names, or what it names in the account';

type Refusal = NonNullable<Preflight['findings']>[number];

const findingOf = ({ code, message, at }: Refusal, object: string, namespace: string): Finding => {
  const named = at?.object.replace(` ${namespace}/`, ' ') ?? object;
  const of = at ? ofField(named, at.path, at.fault, at.remedy) : { object, message, remedy };
  return { code, level: 'Refuse', ...of };
};

export const checkInfrastructure: Check = ({ cluster, infrastructure }) => {
  if (!infrastructure) return [];
  const { verdict, message, findings = [], waitsFor } = infrastructure;
  const object = nameOf(cluster);
  const unknown = verdict === 'pending' ? message : waitsFor;
  return [
    ...findings.map((one) => findingOf(one, object, cluster.metadata.namespace ?? '')),
    ...(unknown === undefined
      ? []
      : [
          {
            code: 'InfrastructureNotChecked',
            level: 'Warn' as const,
            isUnknown: true as const,
            object,
            message: unknown,
            remedy: 'Let it answer; an upgrade begins with this check, and changes nothing if it fails',
          },
        ]),
  ];
};

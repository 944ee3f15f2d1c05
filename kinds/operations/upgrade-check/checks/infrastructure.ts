/** Whether the infrastructure provider can create the new Machines: images, instance types and quotas. Pure. */
import { type Check, type Finding, nameOf } from './facts.ts';

const remedy = 'Change the field that it names, or what it names in the account';

export const checkInfrastructure: Check = ({ cluster, infrastructure }) => {
  if (!infrastructure) return [];
  const { verdict, message, findings = [], waitsFor } = infrastructure;
  const object = nameOf(cluster);
  const unknown = verdict === 'pending' ? message : waitsFor;
  return [
    ...findings.map((one): Finding => ({ ...one, level: 'Refuse', object, remedy })),
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

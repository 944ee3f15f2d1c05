import type { FieldError } from '../../../machinery/api/kind.ts';
import type { KubeObject } from '../../../machinery/api/object.ts';
import { installationName } from '../../common/installation.ts';
import { invalidValue } from '../../common/validate.ts';
import { age, column, defineKind } from '../../define.ts';
import { scheduleFault } from '../snapshot-schedule/schedule.ts';
import { installation as facts } from './kind.ts';
import { type InstallationSpec, type InstallationStatus, installationSpec, installationStatus } from './schema.ts';

export type { InstallationSpec, InstallationStatus, Orphan } from './schema.ts';
export type Installation = KubeObject<InstallationSpec, InstallationStatus>;
declare module '../../../machinery/api/reconcile.ts' {
  interface ObjectTypes {
    Installation: Installation;
  }
}

/** The object as the server creates it. */
export const theInstallation: Installation = {
  apiVersion: 'capstan.dev/v1alpha1',
  kind: 'Installation',
  metadata: { name: installationName },
  spec: {},
};

const validate = (object: KubeObject): FieldError[] => {
  const { metadata, spec } = object as Installation;
  const { snapshotSchedule } = spec ?? {};
  const fault = snapshotSchedule === undefined ? undefined : scheduleFault(snapshotSchedule);
  return [
    ...(metadata.name === installationName
      ? []
      : [
          invalidValue(
            'metadata.name',
            metadata.name,
            `there is one installation, and its name is ${installationName}`,
          ),
        ]),
    ...(fault === undefined ? [] : [invalidValue('spec.snapshotSchedule', snapshotSchedule, fault)]),
  ];
};

/**
 * The control plane itself: whether it may act, and which resources in the account belong to none
 * of its objects.
 */
export const installation = defineKind({
  ...facts,
  shortNames: [],
  validate,
  versions: [
    {
      name: 'v1alpha1',
      served: true,
      storage: true,
      description: 'This control plane itself: whether it acts, and which resources have lost their objects.',
      columns: [
        column('Id', 'string', '.status.id', 'The installation tag of its resources.'),
        column('Frozen', 'string', '.status.frozen.reason', 'Why it does nothing; empty while it acts.'),
        column('Orphans', 'integer', '.status.orphanCount', 'Resources that have lost their object.'),
        age,
      ],
      spec: installationSpec,
      status: installationStatus,
    },
  ],
});

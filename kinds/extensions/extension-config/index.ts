import { age, conditionColumn, pausedColumn } from '../../common/columns.ts';
import { conversion, versionOf } from '../../common/conversion.ts';
import { statusFields } from '../../common/conversion-values.ts';
import { coreContracts, coreProvider, supersededBy } from '../../common/versions.ts';
import { contractLabels, defineKind } from '../../define.ts';
import { extensionConfig as facts } from './kind.ts';
import { extensionConfigSpec, extensionConfigStatus, extensionConfigStatusV1alpha1 } from './schema.ts';
import { defaultExtensionConfig, validateExtensionConfig, warnOfService } from './validate.ts';

export type * from './schema.ts';

const shared = {
  served: true,
  description:
    'A runtime extension: hooks that are called when Clusters with a topology are created, upgraded or deleted.',
  columns: [
    pausedColumn,
    conditionColumn('Discovered', 'Discovered', 'Whether the extension said what it handles.'),
    age,
  ],
  spec: extensionConfigSpec,
  specRequired: true,
};

export const extensionConfig = defineKind({
  ...facts,
  shortNames: ['ext'],
  crdLabels: contractLabels(coreProvider, coreContracts),
  default: defaultExtensionConfig,
  validate: validateExtensionConfig,
  warn: warnOfService,
  versions: [
    { name: 'v1beta2', ...shared, storage: true, status: extensionConfigStatus },
    {
      name: 'v1alpha1',
      ...shared,
      ...supersededBy(facts, 'v1alpha1', 'v1beta2'),
      ...conversion(
        versionOf(`${facts.group}/v1alpha1`, { spec: extensionConfigSpec, status: extensionConfigStatusV1alpha1 }),
        versionOf(`${facts.group}/v1beta2`, { spec: extensionConfigSpec, status: extensionConfigStatus }),
        statusFields(),
      ),
      status: extensionConfigStatusV1alpha1,
    },
  ],
});

import type { KindFacts } from '../../../machinery/api/kind.ts';
import { policyMark } from '../../../machinery/api/rbac.ts';
import { runtimeGroup } from '../../common/versions.ts';
import { namedSecret, secretKeyOf } from '../authority/annotation.ts';

export const extensionConfig: KindFacts = {
  group: runtimeGroup,
  kind: 'ExtensionConfig',
  plural: 'extensionconfigs',
  namespaced: false,
  // Every process that writes reads this mark anyway: without an ExtensionConfig hooks cost no read.
  mark: policyMark,
  references: (object) => {
    const key = secretKeyOf(namedSecret(object) ?? '');
    return key ? [{ group: '', kind: 'Secret', name: key.name, namespace: key.namespace }] : [];
  },
  summary: 'Discovered',
};

import type { KindFacts } from '../../../machinery/api/kind.ts';
import { secretDigest, secretPurpose } from '../../common/secret-purpose.ts';
import { secretTokenId } from '../../common/secret-token.ts';

export const secret: KindFacts = {
  group: '',
  kind: 'Secret',
  plural: 'secrets',
  namespaced: true,
  encrypted: true,
  purpose: secretPurpose,
  digest: secretDigest,
  resourceId: secretTokenId,
};

import { conversion, versionOf } from '../../common/conversion.ts';
import { ipamGroup } from '../../common/versions.ts';
import { ipAddressSpec, localIPAddressSpec } from './schema.ts';

const between = (version: string) =>
  conversion(
    versionOf(`${ipamGroup}/${version}`, { spec: localIPAddressSpec }),
    versionOf(`${ipamGroup}/v1beta2`, { spec: ipAddressSpec }),
    [],
  );
export const fromV1alpha1 = between('v1alpha1');
export const fromV1beta1 = between('v1beta1');

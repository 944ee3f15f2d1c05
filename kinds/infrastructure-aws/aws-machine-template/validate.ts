import type { Admission, FieldError } from '../../../machinery/api/kind.ts';
import { equal } from '../../../machinery/api/merge.ts';
import { validateTemplateMetadata } from '../../common/validate.ts';
import { misplacedFallback, validateSpotFallback } from '../../core/contract/spot-fallback.ts';
import { isTopologyDryRun } from '../../core/contract/topology.ts';
import { misplacedAddressPool, validateFixedAddress } from '../aws-machine/fixed-address.ts';
import { isSpot } from '../aws-machine/market.ts';
import { validateNew, validateSpec } from '../aws-machine/validate.ts';
import { validateHostOfTemplate } from '../aws-machine/validate-capacity.ts';
import type { AWSMachineTemplate } from './schema.ts';

const specOf = (object: AWSMachineTemplate) => object.spec?.template.spec;

/**
 * Metadata options may be added to a template without any: older provider versions stored none, and
 * newer ones send the default.
 */
const isSameSpec = (next: AWSMachineTemplate, old: AWSMachineTemplate): boolean => {
  const [after, before] = [specOf(next), specOf(old)];
  if (!after || !before || before.instanceMetadataOptions) return equal(after, before);
  return equal(after, { ...before, instanceMetadataOptions: after.instanceMetadataOptions });
};

export const validate = (object: AWSMachineTemplate, admission: Admission): FieldError[] => {
  const { operation, old } = admission;
  if (operation === 'delete') return [];
  const spec = specOf(object);
  const at = 'spec.template.spec';
  const unset = (field: string, value: unknown): FieldError[] =>
    value ? [{ reason: 'FieldValueForbidden', field: `${at}.${field}`, detail: 'cannot be set in templates' }] : [];
  const faults = [
    ...unset('providerID', spec?.providerID),
    ...unset('cloudInit.secretPrefix', spec?.cloudInit?.secretPrefix),
    ...unset('cloudInit.secretCount', spec?.cloudInit?.secretCount),
    ...(spec ? validateSpec(at, spec) : []),
    ...(spec ? validateHostOfTemplate(at, spec) : []),
    ...(spec && operation === 'create' ? validateNew(at, spec) : []),
    ...validateTemplateMetadata('spec.template.metadata', object.spec?.template.metadata),
    ...misplacedFallback(object.metadata.annotations),
    ...validateSpotFallback(
      'spec.template.metadata.annotations',
      object.spec?.template.metadata?.annotations,
      isSpot(spec ?? {}),
    ),
    ...(spec
      ? validateFixedAddress('spec.template.metadata.annotations', object.spec?.template.metadata?.annotations, spec)
      : []),
    ...misplacedAddressPool(object.metadata.annotations),
  ];
  const isExempt = isTopologyDryRun(object, admission);
  if (operation === 'update' && old && !isExempt && !isSameSpec(object, old as AWSMachineTemplate))
    faults.push({
      reason: 'FieldValueInvalid',
      field: at,
      detail: 'AWSMachineTemplate.Spec is immutable',
    });
  return faults;
};

/**
 * Machines of the spot market that are bought on demand when that market has no capacity for them.
 * The provider reports it in a condition, which the Machine mirrors. Pure.
 */
import type { FieldError } from '../../../machinery/api/kind.ts';

/** On an infrastructure machine, or in its template's metadata: `OnDemand`. */
export const spotFallbackAnnotation = 'capstan.dev/spot-fallback';
const supported = 'OnDemand';

/** True: the host is bought on demand. The reason is the provider's last code of the spot market. */
export const spotFallback = 'SpotFallback';

type Annotations = Record<string, string> | undefined;

export const fallsBack = (annotations: Annotations): boolean => annotations?.[spotFallbackAnnotation] === supported;

/** `at`: the path of the annotations; `isSpot`: whether the machine is bought in the spot market. */
export const validateSpotFallback = (at: string, annotations: Annotations, isSpot: boolean): FieldError[] => {
  const value = annotations?.[spotFallbackAnnotation];
  const field = `${at}[${spotFallbackAnnotation}]`;
  if (value === undefined) return [];
  if (value !== supported)
    return [{ reason: 'FieldValueNotSupported', field, value, detail: `supported values: "${supported}"` }];
  if (isSpot) return [];
  return [{ reason: 'FieldValueForbidden', field, detail: 'only a machine of the spot market has a fallback from it' }];
};

/** The annotation on a template itself would reach no machine. */
export const misplacedFallback = (annotations: Annotations): FieldError[] =>
  annotations?.[spotFallbackAnnotation] === undefined
    ? []
    : [
        {
          reason: 'FieldValueForbidden',
          field: `metadata.annotations[${spotFallbackAnnotation}]`,
          detail: 'belongs in spec.template.metadata.annotations',
        },
      ];

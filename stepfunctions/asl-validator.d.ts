declare module 'asl-validator' {
  /** Adds what is missing to the definition that it is given. */
  export default function validate(definition: unknown): {
    isValid: boolean;
    errorsText: (separator?: string) => string;
  };
}

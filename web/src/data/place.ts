// A place in a source: who is shown one can go there.

export interface Place {
  file: string;
  line: number;
  column?: number;
  end_line?: number;
  end_column?: number;
}
export type GoTo = (place: Place) => void;

export const placeText = (place: Place) => `${place.file.split('/').pop()}:${place.line}`;

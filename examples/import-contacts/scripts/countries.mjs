// The countries of the list: ISO code, dial code, the digit dialled before national numbers, and other spellings.
const COUNTRIES = [
  ["AR", "54", "0", "argentina"],
  ["AT", "43", "0", "austria|österreich|a"],
  ["AU", "61", "0", "australia|aus"],
  ["BR", "55", "0", "brazil|brasil"],
  ["CA", "1", "", "canada|can", "monthFirst"],
  ["CH", "41", "0", "switzerland|schweiz|suisse|svizzera"],
  ["CN", "86", "0", "china|中国"],
  ["CZ", "420", "", "czechia|czech republic|česko"],
  ["DE", "49", "0", "germany|deutschland|d|ger"],
  ["DK", "45", "", "denmark|danmark"],
  ["ES", "34", "", "spain|españa"],
  ["FI", "358", "0", "finland|suomi"],
  ["FR", "33", "0", "france|f"],
  ["GB", "44", "0", "united kingdom|great britain|uk|england|scotland|wales"],
  ["GR", "30", "", "greece|ελλάδα"],
  ["HU", "36", "06", "hungary|magyarország"],
  ["IE", "353", "0", "ireland|éire"],
  ["IL", "972", "0", "israel"],
  ["IN", "91", "0", "india|bharat"],
  ["IS", "354", "", "iceland|ísland"],
  ["IT", "39", "", "italy|italia|i"],
  ["JP", "81", "0", "japan|日本"],
  ["KE", "254", "0", "kenya"],
  ["KR", "82", "0", "south korea|korea|대한민국"],
  ["MX", "52", "", "mexico|méxico"],
  ["NG", "234", "0", "nigeria"],
  ["NL", "31", "0", "netherlands|nederland|the netherlands|holland"],
  ["NO", "47", "", "norway|norge"],
  ["PL", "48", "", "poland|polska"],
  ["PT", "351", "", "portugal"],
  ["SE", "46", "0", "sweden|sverige"],
  ["TR", "90", "0", "turkey|türkiye"],
  ["UA", "380", "0", "ukraine|україна"],
  ["US", "1", "", "united states|usa|u.s.a.|u.s.|united states of america", "monthFirst"],
  ["VN", "84", "0", "vietnam|việt nam"],
  ["ZA", "27", "0", "south africa|suid-afrika"],
];

/** `{ value: { code, dial, trunk, monthFirst } }`, or `{ reason }`. */
export function readCountry(text) {
  const word = text.toLowerCase().normalize("NFC");
  const row = COUNTRIES.find(
    ([code, , , names]) => code.toLowerCase() === word || names.split("|").includes(word),
  );
  if (row === undefined) return { reason: "is no country of the list" };
  const [code, dial, trunk, , order] = row;
  return { value: { code, dial, trunk, monthFirst: order === "monthFirst" } };
}

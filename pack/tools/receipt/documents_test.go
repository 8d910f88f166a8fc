package receipt

// documents are made after ones that people have; the names are invented.
var documents = []document{
	{name: "supermarket, German", text: `
           FRISCHEMARKT
       Hauptstr. 12, 10115 Berlin
          UID Nr. DE123456789
                              EUR
Bananen                      1,89 B
   1,254 kg x 1,51 EUR/kg
Vollmilch 3,5%               1,19 B
Spülmittel                   2,45 A
Pfand                        0,25 A
------------------------------------
SUMME                EUR     5,78
Geg. girocard        EUR     5,78
Steuer  %     Netto  Steuer  Brutto
A= 19,0%       2,27   0,43    2,70
B=  7,0%       2,88   0,20    3,08
Gesamtbetrag   5,15   0,63    5,78
12.03.2024   17:45   Bon-Nr.:4711
`, want: "2024-03-12|FRISCHEMARKT|5.78|0.63|EUR|4711", least: 0.85},
	{name: "invoice, German", text: `
Muster Software GmbH · Ringstraße 5 · 80331 München

Beispiel AG                                   Rechnungsnummer:  RE-2024-0815
Frau Erika Muster                             Rechnungsdatum:   05.02.2024
Am Markt 1                                    Lieferdatum:      31.01.2024
50667 Köln

Rechnung

Pos  Bezeichnung            Menge    Einzelpreis      Gesamt
1    Beratung               10,00 Std   95,00 €      950,00 €
2    Anfahrt                 1         49,00 €        49,00 €

                                   Zwischensumme     999,00 €
                                   zzgl. 19% MwSt.   189,81 €
                                   Gesamtbetrag    1.188,81 €

Zahlbar bis 19.02.2024 ohne Abzug.
`, want: "2024-02-05|Muster Software GmbH|1188.81|189.81|EUR|RE-2024-0815", least: 0.95},
	{name: "invoice, English, United States", text: `
Acme Widgets, Inc.                                          INVOICE
123 Main Street
Springfield, IL 62701                        Invoice #: INV-10023
                                             Date: 03/15/2024
                                             Due Date: 04/14/2024
Bill To:
Jane Doe LLC
456 Oak Ave

Description                    Qty     Unit Price        Amount
Blue widget                     10        $25.00        $250.00
Shipping                         1        $15.50         $15.50

                                         Subtotal       $265.50
                                         Sales Tax (8%)  $21.24
                                         Total          $286.74
                                         Amount Due     $286.74
`, want: "2024-03-15|Acme Widgets, Inc.|286.74|21.24|USD|INV-10023", least: 0.95},
	{name: "restaurant, United States, read from a picture", text: `
THE GOLDEN FORK
88 River Road
Portland, OR
Server: Amy     Table 12
Check #: 20418
07/28/2023 8:14 PM

2 Burger            27.90
1 Lemonade           4.25
Subtotal            32.15
Tax                  0.00
Tip                  6.00
Total               $38.15
Visa ************1234
Thank you!
`, want: "2023-07-28|THE GOLDEN FORK|38.15|0.00|USD|", least: 0.8},
	{name: "fuel, German", text: `
TANKSTELLE NORD
Inh. Karl Beispiel e.K.
Landweg 3
24103 Kiel
Beleg-Nr. 8841/002/00001
03.11.23 07:12
Super E10
ZP 4    42,17 Liter
Preis/l 1,799 EUR
Summe            75,86 EUR
Enthaltene MwSt 19,00%  12,11 EUR
Nettobetrag      63,75 EUR
Kartenzahlung    75,86 EUR
`, want: "2023-11-03|Inh. Karl Beispiel e.K.|75.86|12.11|EUR|8841/002/00001", least: 0.9},
	{name: "invoice, United Kingdom", text: `
Northern Lights Ltd
VAT Reg No: GB 123 4567 89
14 Station Road, Leeds LS1 4AB
TAX INVOICE
Invoice No: 5567
Invoice Date: 3 April 2024

Consulting services            £1,200.00
VAT @ 20%                        £240.00
Total                          £1,440.00
Payment due by 3 May 2024
`, want: "2024-04-03|Northern Lights Ltd|1440.00|240.00|GBP|5567", least: 0.95},
	{name: "online shop, German", text: `
Rechnung

Verkäufer: Bücherwurm Versand GmbH & Co. KG
Rechnungs-Nr. 2024/55671
Bestelldatum 01.06.2024
Rechnungsdatum 02.06.2024

Artikel                       MwSt   Preis
Der lange Weg (Taschenbuch)   7%     12,99 €
Versandkosten                 7%      0,00 €
Gesamtpreis inkl. MwSt.              12,99 €
darin enthalten 7% MwSt.              0,85 €
`, want: "2024-06-02|Bücherwurm Versand GmbH & Co. KG|12.99|0.85|EUR|2024/55671", least: 0.95},
	{name: "small business without tax, German", text: `
Anna Beispiel
Fotografie
Blumenweg 7
04109 Leipzig

Rechnung Nr. 17
Leipzig, den 9. Dezember 2023

Porträtaufnahmen          1     250,00 EUR
Rechnungsbetrag                 250,00 EUR

Gemäß § 19 UStG wird keine Umsatzsteuer berechnet.
`, want: "2023-12-09|Anna Beispiel|250.00||EUR|17", least: 0.85},
	{name: "phone bill, German", text: `
Telefonica Muster GmbH
Kundennummer 99887766
Rechnungsnummer        Rechnungsdatum
1122334455             14.01.2024
Leistungszeitraum 01.12.2023 - 31.12.2023

Monatliche Beträge                      24,3613
Summe netto                             24,36
Umsatzsteuer 19 %                        4,63
Zu zahlender Betrag                     28,99 EUR
`, want: "2024-01-14|Telefonica Muster GmbH|28.99|4.63|EUR|1122334455", least: 0.95},
	{name: "cash, German", text: `
Bäckerei Sonnenschein
Marktplatz 1
Tel. 0711/123456
2x Brezel            1,80
Kaffee groß          3,20
SUMME                5,00
GEGEBEN BAR         10,00
RÜCKGELD             5,00
MwSt 7%  0,12
MwSt 19% 0,51
15.08.2023 08:01
`, want: "2023-08-15|Bäckerei Sonnenschein|5.00|0.63||", least: 0.7, unsure: "currency"},
	{name: "software, paid", text: `
Receipt
CloudThing Corp.
548 Market St, San Francisco, CA
Receipt number 2371-8890
Date paid January 9, 2024
Pro plan (Jan 9 – Feb 9, 2024)    $20.00
Subtotal     $20.00
Total        $20.00
Amount paid  $20.00
`, want: "2024-01-09|CloudThing Corp|20.00||USD|2371-8890", least: 0.95},
	{name: "hotel, German and English", text: `
HOTEL AM PARK
Parkallee 20 · 20144 Hamburg
Rechnung / Invoice  Nr. 30021
Anreise / Arrival: 10.05.2024
Abreise / Departure: 12.05.2024
Datum / Date: 12.05.2024
Übernachtung 2 x 95,00      190,00
Frühstück 2 x 15,00          30,00
Gesamt / Total       EUR    220,00
7% MwSt/VAT   Netto 177,57   MwSt 12,43
19% MwSt/VAT  Netto 25,21    MwSt 4,79
`, want: "2024-05-12|HOTEL AM PARK|220.00|17.22|EUR|30021", least: 0.85},
	{name: "Swiss", text: `
Käserei Alpenblick AG
Dorfstrasse 4, 6370 Stans
CHE-123.456.789 MWST
Rechnung Nr. 5501
Datum 21.09.2023
Bergkäse                   CHF 48.50
Raclette                CHF 1'200.00
Total CHF                  1'248.50
inkl. MwSt 2,5%  30.45
`, want: "2023-09-21|Käserei Alpenblick AG|1248.50|30.45|CHF|5501", least: 0.9},
	{name: "Austria", text: `
Gasthaus Zur Post
Hauptplatz 2, 5020 Salzburg
ATU12345678
Rechnung 000812
17.02.2024 20:33
1 Schnitzel             18,90
1 Bier 0,5l              4,90
Summe EUR               23,80
davon 10% USt            1,72
davon 20% USt            0,82
`, want: "2024-02-17|Gasthaus Zur Post|23.80|2.54|EUR|000812", least: 0.8},
	{name: "taxi", text: `
Taxi Quittung
Taxi-Ruf Schmidt
Datum: 01.03.2024
von: Bahnhof  nach: Messe
Betrag: 23,40 EUR
inkl. 7% MwSt
`, want: "2024-03-01|Taxi-Ruf Schmidt|23.40||EUR|", least: 0.85},
	{name: "part paid", text: `
Garden Design Ltd
Invoice number: GD-88
Issue date: 2024-05-20
Garden plan            £2,000.00
Invoice total          £2,400.00
VAT 20%                  £400.00
Amount paid            £1,000.00
Balance due            £1,400.00
`, want: "2024-05-20|Garden Design Ltd|2400.00|400.00|GBP|GD-88", least: 0.95},
	{name: "amount below its word", text: `
Corner Cafe
Order #: 1042
2024-04-11
Latte
4.50
Muffin
3.25
TOTAL
$7.75
`, want: "2024-04-11|Corner Cafe|7.75||USD|1042", least: 0.8},
	{name: "spaced letters", text: `
D R O G E R I E
Kassenbon
24.12.2023 12:01
Seife           1,95
Creme           4,45
S U M M E   EUR 6,40
`, want: "2023-12-24|DROGERIE|6.40||EUR|", least: 0.8},
	{name: "no word for the total", text: `
Flohmarkt Halle 3
Stand 17
Lampe 25,00 €
02.02.2024
`, want: "2024-02-02|Flohmarkt Halle 3|25.00||EUR|", most: 0.6, unsure: "total"},
	{name: "no receipt", text: `
Liebe Mitglieder,
am Samstag treffen wir uns im Garten.
Bitte bringt Handschuhe mit.
`, want: "|Liebe Mitglieder||||", most: 0.2, unsure: "date total currency"},
	{name: "empty", text: "", want: "|||||", most: 0.1, unsure: "date seller total currency"},
	{name: "day or month", text: `
Riverside Books
Date: 03/04/2024
2 books     18.00
Total      £18.00
`, want: "2024-04-03|Riverside Books|18.00||GBP|", least: 0.75, unsure: "date"},
	{name: "day before month, by another date", text: `
Riverside Books
Date: 03/04/2024
Return by 30/04/2024
Total      £18.00
`, want: "2024-04-03|Riverside Books|18.00||GBP|", least: 0.85},
	{name: "month before day, by another date", text: `
HomeGoods Store #221
04/03/2024 11:20 AM
Return by 05/30/2024
SUBTOTAL      41.97
TAX 7.25%      3.04
TOTAL         45.01
VISA          45.01
CHANGE         0.00
USD
`, want: "2024-04-03|HomeGoods Store #221|45.01|3.04|USD|", least: 0.85},
	{name: "Canada", text: `
Maple Hardware
Invoice # 7781
June 3, 2024
Subtotal      CA$100.00
GST 5%          CA$5.00
PST 7%          CA$7.00
Total         CA$112.00
`, want: "2024-06-03|Maple Hardware|112.00|12.00|CAD|7781", least: 0.85},
	{name: "credit note", text: `
Muster Versand GmbH
Gutschrift Nr. G-778
Datum 11.04.2024
Rücksendung Jacke         -79,90 €
Gesamtbetrag              -79,90 €
enthaltene MwSt 19%       -12,76 €
`, want: "2024-04-11|Muster Versand GmbH|-79.90|-12.76|EUR|G-778", least: 0.95},
	{name: "columns of net, tax and gross in the total", text: `
Druckerei Klecks OHG
Rechnung-Nr.: 4402   Datum: 07.07.2023
Flyer    1000   84,03    15,97   100,00
Summe           84,03    15,97   100,00  EUR
`, want: "2023-07-07|Druckerei Klecks OHG|100.00||EUR|4402", least: 0.9},
	{name: "train", text: `
Bahnreise AG
Online-Ticket
Auftragsnummer: ABC123
Gültig ab 14.06.2024
Buchungsdatum 01.06.2024
Preis
ICE Fahrkarte 2. Klasse           59,90€
Summe   59,90€    MwSt (D) 7%: 3,92€
`, want: "2024-06-01|Bahnreise AG|59.90|3.92|EUR|", least: 0.9},
	{name: "craftsman with a deduction for early payment", text: `
Elektro Funke
Inhaber Max Funke
Werkstattstr. 9, 99084 Erfurt
Steuernummer 151/123/45678
Rechnung Nr. 23-0445 vom 30.10.2023
Arbeitslohn 4,5 Std x 52,00          234,00
Material                              88,40
Nettobetrag                          322,40
19 % MwSt.                            61,26
Rechnungssumme                       383,66 €
Bei Zahlung innerhalb von 10 Tagen 2% Skonto: 375,99 €
IBAN DE02 1203 0000 0000 2020 51
`, want: "2023-10-30|Elektro Funke|383.66|61.26|EUR|23-0445", least: 0.85},
	{name: "dentist, many dates", text: `
Dr. med. dent. Petra Weiß
Zahnärztin
Patient: Hans Muster, geb. 03.03.1980
Behandlung vom 12.01.2024
Rechnungsnummer 2024-118   Rechnungsdatum 26.01.2024
Honorar                       212,35
Material- und Laborkosten     118,00
Rechnungsbetrag  EUR          330,35
fällig am 25.02.2024
`, want: "2024-01-26|Dr. med. dent. Petra Weiß|330.35||EUR|2024-118", least: 0.85},
	{name: "hardware store, OCR with stars", text: `
*** BAUMARKT SUED ***
Industriestr. 40
Schrauben        *4,99
Bohrer          *12,49
------------------------
Summe EUR       *17,48
EC-Cash EUR     *17,48
Datum 05.05.2024 Zeit 10:14
Bon 1182
`, want: "2024-05-05|BAUMARKT SUED|17.48||EUR|", least: 0.85},
	{name: "Ireland, whole euros", text: `
Dublin Bikes Limited
Receipt No. 00931
17 Mar 2024
Rental of bike    €25
Deposit           €50
Total             €25
`, want: "2024-03-17|Dublin Bikes Limited|25.00||EUR|00931", least: 0.85},
	{name: "app store, zero", text: `
AppHouse Inc.
Order ID: MT7XX
Apr 2, 2024
Free app     $0.00
Total        $0.00
`, want: "2024-04-02|AppHouse Inc.|||USD|", most: 0.3, unsure: "total"},
	{name: "parking, two-digit year", text: `
PARKHAUS MITTE
Einfahrt 03.02.24 09:10
Ausfahrt 03.02.24 11:47
Parkgebühr         6,00 EUR
enthält 19% MwSt   0,96 EUR
Betrag bezahlt     6,00 EUR
`, want: "2024-02-03|PARKHAUS MITTE|6.00|0.96|EUR|", least: 0.85},
}
